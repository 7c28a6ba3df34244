"""What the peers that exist already accept of a node, no more: a strict reader that knows nothing of what came later."""

import re
import uuid

STATUSES = {"off", "idle", "working", "thinking", "unread", "complete", "completed", "done", "approval", "awaiting-approval",
            "awaiting-response", "error"}
CAPABILITIES = {"agent", "action", "joystick", "encoder", "reasoning", "keycap", "usage", "rate-limit-reset"}
ACTIONS = {"ACT06", "ACT07", "ACT08", "ACT09", "ACT10_ACT11", "ACT12"}
KEYCAPS = set("FAST APPR REJ SPLIT MIC CODEX BUG OAI TERM DWN DEL NEW NAV MAGIC DIFF PLAY GIT BRCH MRG PR PAINT LAB PARTY TIME MIND+ MIND- "
              "SETUP FOLD UPL APPS".split())
TYPES = {"ready", "snapshot", "health", "result"}


class Unreadable(AssertionError):
    """A message such a peer would drop, or drop the connection for."""


def need(condition, words):
    if not condition:
        raise Unreadable(words)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_time(value, name):
    need(is_number(value) and 0 < value < 1e16, f"{name} is no time in milliseconds: {value!r}")


def check_host(host):
    need(str(uuid.UUID(host["hostId"])) == host["hostId"].lower(), "hostId is no UUID")
    need(isinstance(host["hostName"], str) and 1 <= len(host["hostName"]) <= 128, "hostName is empty or too long")
    need(host["platform"] in ("win32", "darwin"), f"platform {host['platform']!r} is unknown")
    need("codexVersion" not in host or 1 <= len(host["codexVersion"]) <= 64, "codexVersion is empty or too long")


def check_percent(value, name):
    need(is_number(value) and 0 <= value <= 100, f"{name} is no percentage: {value!r}")


def check_slot(index, slot):
    need(slot["id"] == index, f"slot {index} calls itself {slot['id']}")
    need(slot["threadKey"] is None or re.fullmatch(r"(?:[a-z][a-z0-9_-]{0,31}:){0,3}[0-9a-f-]{36}", slot["threadKey"], re.I), "threadKey")
    need(slot["title"] is None or isinstance(slot["title"], str), "title is no text")
    need(slot["status"] in STATUSES, f"status {slot['status']!r} is unknown")
    need(slot["selected"] in (True, False), "selected is no truth value")
    need((slot["threadKey"] is None) == (slot["status"] == "off"), "an empty slot is off, and no other")
    if "activityAt" in slot:
        check_time(slot["activityAt"], "activityAt")
    if "ownedByHost" in slot:
        need(isinstance(slot["ownedByHost"], bool), "ownedByHost is no truth value")
    if "contextUsedPercent" in slot:
        check_percent(slot["contextUsedPercent"], "contextUsedPercent")


def check_layout(layout):
    need(layout["version"] == 1, "the version of the layout is not 1")
    need(set(layout["slots"]) == ACTIONS, "the layout does not hold exactly the six lower keys")
    for place, key in layout["slots"].items():
        need(key["keycapId"] in KEYCAPS, f"{place} has the unknown keycap {key['keycapId']!r}")
    need(set(layout["analogStick"]) == {"up", "right", "down", "left"}, "the stick has other directions than four")


def check_usage(usage):
    need(len(usage["windows"]) <= 8, "there are more than eight windows")
    for window in usage["windows"]:
        need(1 <= len(window["id"]) <= 64, "the id of a window is empty or too long")
        need(window["kind"] in ("five-hour", "weekly", "other"), f"the kind of window {window['kind']!r} is unknown")
        need(is_number(window["usedPercent"]) and is_number(window["remainingPercent"]), "a window without percentages")
        need(window["windowDurationMins"] is None or window["windowDurationMins"] > 0, "a window without duration")
        if window["resetsAt"] is not None:
            check_time(window["resetsAt"], "resetsAt")
    check_time(usage["observedAt"], "observedAt of usage")
    for name in ("resetCreditsAvailable", "resetCreditsApplicable"):
        need(usage[name] is None or is_number(usage[name]), f"{name} is neither null nor a number")


def check_snapshot(snapshot):
    need(len(snapshot["slots"]) == 6, "there are not exactly six slots")
    for index, slot in enumerate(snapshot["slots"]):
        check_slot(index, slot)
    need(sum(slot["selected"] for slot in snapshot["slots"]) <= 1, "more than one slot is selected")
    need(len(snapshot.get("activeThreadTitle", "").encode("utf-16-le")) // 2 <= 240, "activeThreadTitle is too long")
    check_layout(snapshot["layout"])
    need(snapshot["agentSource"] in ("pinned", "recent", "priority", "custom"), "agentSource is unknown")
    need(isinstance(snapshot["lightingAutoOff"], str), "lightingAutoOff is no text")
    need(snapshot["theme"] in ("light", "dark"), "theme is unknown")
    if "usage" in snapshot:
        check_usage(snapshot["usage"])
    need(len(snapshot.get("hostSessions", [])) <= 128, "there are more than 128 hostSessions")
    for session in snapshot.get("hostSessions", []):
        uuid.UUID(session["threadId"])
        check_time(session["activityAt"], "activityAt of a session")
        need(session["status"] in ("idle", "working", "complete"), f"the status {session['status']!r} of a session is unknown")
        if "completionRevision" in session:
            need(is_number(session["completionRevision"]), "completionRevision is no number")


def check(message, size):
    """Raises `Unreadable` unless a peer of the first days takes `message`, which came in `size` bytes."""
    need(size <= 65_536, f"a message of {size} bytes")
    need(message["protocol"] == 1, "another protocol")
    need(message["type"] in TYPES, f"the type {message['type']!r} is unknown")
    try:
        if message["type"] == "result":
            need(isinstance(message["requestId"], str) and isinstance(message["ok"], bool), "a result without request or outcome")
            need(message["ok"] or message["error"], "a refusal without a reason")
            return
        check_host(message["host"])
        if message["type"] == "ready":
            need(set(message["capabilities"]) <= CAPABILITIES, f"unknown capabilities: {message['capabilities']}")
            need(isinstance(message["bridge"], str) and message["bridge"], "no bridge")
            return
        check_time(message["observedAt"], "observedAt")
        if message["type"] == "snapshot":
            check_snapshot(message["snapshot"])
        else:
            need(message["state"] == "degraded" and message["reason"], "health without state or reason")
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"{type(error).__name__}: {error} in {message}") from error
