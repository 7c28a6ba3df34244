#!/usr/bin/env python3
"""A local model server for tests: `POST /v1/responses` answered with server-sent events.

Started as `model_server.py [--script FILE] [--log FILE] [--usage TOTAL] [--every-request]`; prints its port on the first line of standard output and
serves until it is told to stop (SIGTERM) or its standard input closes (with --with-parent). It needs nothing but Python's library.

What it answers is a list of steps. A step is used once, by the first request it fits, and in the order of the list; when none fits,
the answer is the text "done". Steps come from the script file (a JSON array) and from `POST /script` (a JSON array to append).

A request that offers no tools is the CLI's own, such as for a title: it takes no step, unless --every-request says that there is no CLI.

  match      text that the request's newest user message must contain; without it the step fits every request
  after      text that the newest tool output must contain (to answer the request that follows a tool call)
  text       the assistant's message, sent in pieces
  reasoning  a reasoning summary before it
  exec       {"cmd", "escalate": bool, "justification"}: a call of the command tool; "escalate" makes the CLI ask for approval
  call       {"name", "arguments": {...}}: any other tool call; with "input" (a string) instead, a call of a custom tool
  also       a step whose calls stand in the same answer
  delay      seconds before the first byte of the answer
  pause      seconds in the middle of the text (a stream that is slow)
  hang       true: headers are sent, then nothing until the client goes away
  headers    extra response headers, such as {"x-codex-primary-used-percent": "37.5"}
  status     an HTTP error such as 429, with `body` as its JSON
  total      total_tokens of the usage (input is total - 10)
  repeat     true: the step stays and may be used again

`GET /requests` answers what was asked so far: a JSON array of {"user", "tools", "model", "effort", "tier", "output",
"step"}; `GET /models` is empty on purpose.
"""
import argparse
import json
import os
import signal
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Script:
    """The steps that are left, and the requests that came; shared by the server's threads."""

    def __init__(self, steps, total, every_request):
        self.steps, self.total, self.requests, self.lock = list(steps), total, [], threading.Lock()
        self.every_request = every_request

    def take(self, body):
        user, output = newest_user_text(body), newest_tool_output(body)
        with self.lock:
            for index, step in enumerate(self.steps if self.every_request or offers_tools(body) else []):
                if step.get("match", "") in user and step.get("after", "") in output:
                    if not step.get("repeat"):
                        del self.steps[index]
                    break
            else:
                step = {"text": "done"}
            self.requests.append({"user": user, "tools": [tool.get("name") for tool in body.get("tools") or []],
                                  "model": body.get("model"), "effort": (body.get("reasoning") or {}).get("effort"),
                                  "tier": body.get("service_tier"), "output": output, "step": step})
            return step


def offers_tools(body):
    return bool(body.get("tools")) or any(item.get("type") == "additional_tools" for item in body.get("input") or [])


def newest_user_text(body):
    for item in reversed(body.get("input") or []):
        if item.get("type") == "message" and item.get("role") == "user":
            return " ".join(part.get("text", "") for part in item.get("content") or [])
    return ""


def newest_tool_output(body):
    for item in reversed(body.get("input") or []):
        if str(item.get("type", "")).endswith("_call_output"):
            return json.dumps(item.get("output"))
    return ""


def items_of(step):
    """The output items of a step, as the finished answer lists them."""
    items = []
    if step.get("reasoning"):
        items.append({"type": "reasoning", "id": "rs_" + uuid.uuid4().hex, "encrypted_content": "x",
                      "summary": [{"type": "summary_text", "text": step["reasoning"]}]})
    if "text" in step or not ("exec" in step or "call" in step):
        items.append({"type": "message", "role": "assistant", "id": "msg_" + uuid.uuid4().hex,
                      "content": [{"type": "output_text", "text": step.get("text", "done")}]})
    call = step.get("call")
    if "exec" in step:
        arguments = {"cmd": step["exec"]["cmd"]}
        if step["exec"].get("escalate"):
            arguments["sandbox_permissions"] = "require_escalated"
            arguments["justification"] = step["exec"].get("justification", "for the test")
        call = {"name": "exec_command", "arguments": arguments}
    if call and "input" in call:
        items.append({"type": "custom_tool_call", "id": "ctc_" + uuid.uuid4().hex, "call_id": "call_" + uuid.uuid4().hex, "status": "completed",
                      "name": call["name"], "input": call["input"]})
    elif call:
        items.append({"type": "function_call", "id": "fc_" + uuid.uuid4().hex, "call_id": "call_" + uuid.uuid4().hex,
                      "name": call["name"], "arguments": json.dumps(call["arguments"])})
    return items + (items_of(step["also"]) if "also" in step else [])


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script = None
    log = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        with self.script.lock:
            self.answer(200, list(self.script.requests) if self.path == "/requests" else {"models": [], "data": []})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if self.path == "/script":
            with self.script.lock:
                self.script.steps += body
            return self.answer(200, {})
        if not self.path.endswith("/responses"):
            return self.answer(404, {"error": {"message": "no such path"}})
        if self.log:
            with open(self.log, "a", encoding="utf-8") as file:
                file.write(json.dumps(body) + "\n")
        step = self.script.take(body)
        time.sleep(step.get("delay", 0))
        if step.get("status", 200) != 200:
            return self.answer(step["status"], step.get("body", {"error": {"message": "scripted"}}), step.get("headers"))
        self.stream(step)

    def answer(self, status, value, headers=None):
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, step):
        self.close_connection = True
        self.send_response(200)
        for name, text in (step.get("headers") or {}).items():
            self.send_header(name, text)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        response = {"id": "resp_" + uuid.uuid4().hex, "object": "response", "status": "in_progress"}
        self.event("response.created", response=response)
        if step.get("hang"):
            while True:
                time.sleep(0.2)
                self.wfile.write(b": waiting\n\n")
                self.wfile.flush()
        items = items_of(step)
        for index, item in enumerate(items):
            self.item(index, item, step)
        total = step.get("total", self.script.total)
        usage = {"input_tokens": max(total - 10, 0), "input_tokens_details": {"cached_tokens": 0}, "output_tokens": min(total, 10),
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": total}
        self.event("response.completed", response={**response, "status": "completed", "output": items, "usage": usage})

    def item(self, index, item, step):
        opening = {**item, "content": []} if item["type"] == "message" else item
        self.event("response.output_item.added", output_index=index, item=opening)
        if item["type"] == "reasoning":
            text = item["summary"][0]["text"]
            self.event("response.reasoning_summary_part.added", item_id=item["id"], output_index=index, summary_index=0,
                       part={"type": "summary_text", "text": ""})
            self.event("response.reasoning_summary_text.delta", item_id=item["id"], output_index=index, summary_index=0, delta=text)
        if item["type"] == "message":
            text = item["content"][0]["text"]
            half = len(text) // 2
            self.event("response.output_text.delta", item_id=item["id"], output_index=index, content_index=0, delta=text[:half])
            time.sleep(step.get("pause", 0))
            self.event("response.output_text.delta", item_id=item["id"], output_index=index, content_index=0, delta=text[half:])
        self.event("response.output_item.done", output_index=index, item=item)

    def event(self, kind, **fields):
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())
        self.wfile.flush()

    def handle(self):
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass  # a client that stops reading in the middle of an answer is one of the cases under test


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--script", help="JSON file with the steps")
    parser.add_argument("--log", help="file that gets every request body, one a line")
    parser.add_argument("--usage", type=int, default=1234, help="total_tokens of an answer whose step names none")
    parser.add_argument("--every-request", action="store_true", help="requests without tools take steps too")
    parser.add_argument("--with-parent", action="store_true", help="stop when standard input closes")
    options = parser.parse_args()
    steps = []
    if options.script:
        with open(options.script, encoding="utf-8") as file:
            steps = json.load(file)
    Handler.script, Handler.log = Script(steps, options.usage, options.every_request), options.log
    server = Server(("127.0.0.1", 0), Handler)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    if options.with_parent:
        threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
