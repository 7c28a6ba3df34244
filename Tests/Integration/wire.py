"""A peer made of a plain socket: it can do what a library would not let it do, byte by byte. Hand-made on purpose, and used by tests only."""

import base64
import contextlib
import hashlib
import json
import os
import socket
import ssl
import struct
import time

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class Ended(AssertionError):
    """The other side closed; `code` is its close code, or `None` when it closed without one."""

    def __init__(self, code=None, reason=""):
        super().__init__(f"the other side closed with {code}: {reason}")
        self.code, self.reason = code, reason


def pinned_context(version=None):
    """A TLS context that accepts any certificate: the pin is checked by whoever uses it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if version:
        context.minimum_version = context.maximum_version = version
    return context


def fingerprint(tls):
    """The SHA-256 of the certificate the other side showed, as links write it."""
    return hashlib.sha256(tls.getpeercert(binary_form=True)).hexdigest()


def frame(opcode, payload=b"", fin=True, masked=True):
    """A frame as a client sends it; with `masked=False`, as a server does."""
    header = bytes([(0x80 if fin else 0) | opcode])
    length, bit = len(payload), 0x80 if masked else 0
    if length < 126:
        header += bytes([bit | length])
    elif length < 65_536:
        header += bytes([bit | 126]) + struct.pack(">H", length)
    else:
        header += bytes([bit | 127]) + struct.pack(">Q", length)
    if not masked:
        return header + payload
    key = os.urandom(4)
    repeated = key * (length // 4 + 1)
    return header + key + bytes(a ^ b for a, b in zip(payload, repeated))


def command(request, **fields):
    return {"type": "command", "protocol": 1, "requestId": request, "command": fields}


class Peer:
    """A connection to a node. With `pin` it is TLS and the certificate must be that one; without, a plain WebSocket. With `port` None,
    `address` is the path of a Unix socket."""

    def __init__(self, address, port=None, pin=None, source=None, timeout=10, version=None, upgrade=True, headers=(), path="/", receive_buffer=None):
        self.buffer, self.timeout, self.fragments = b"", timeout, b""
        raw = socket.socket(socket.AF_INET if port else socket.AF_UNIX)
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            raw.bind((source, 0))
        raw.settimeout(timeout)
        self.socket = raw
        try:
            raw.connect((address, port) if port else str(address))
            if port:
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if pin:
                self.socket = pinned_context(version).wrap_socket(raw)
                assert fingerprint(self.socket) == pin, "the node shows another certificate than its link names"
            if upgrade:
                self.status, self.headers = self.ask_for_upgrade(path, headers)
                if self.status != 101:
                    raise AssertionError(f"the upgrade was answered with {self.status}")
        except BaseException:
            self.close()
            raise

    @classmethod
    def paired(cls, pairing, auth=True, fresh=False, **options):
        """Connects with the data of a pairing link, authenticates and returns after `ready`."""
        peer = cls(pairing.address, pairing.port, pin=pairing.fingerprint, **options)
        if auth:
            peer.authenticate(pairing.token, fresh=fresh)
        return peer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.close()

    # Bytes

    def send_bytes(self, data):
        self.socket.sendall(data)

    def _fill(self, deadline):
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError("nothing came in time")
        self.socket.settimeout(remaining)
        try:
            data = self.socket.recv(65_536)
        except (TimeoutError, ssl.SSLWantReadError):
            raise TimeoutError("nothing came in time") from None
        except (ConnectionError, ssl.SSLError) as error:
            raise Ended(None, f"{error}") from None
        if not data:
            raise Ended(None, "without a close frame")
        self.buffer += data

    def _need(self, count, deadline):
        while len(self.buffer) < count:
            self._fill(deadline)

    def ask_for_upgrade(self, path="/", headers=()):
        """Asks for a WebSocket and returns the status and the headers of the answer."""
        lines = [f"GET {path} HTTP/1.1", "Host: node", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", *headers]
        self.send_bytes("\r\n".join(lines).encode() + b"\r\n\r\n")
        return self.read_response()

    def read_response(self):
        deadline = time.monotonic() + self.timeout
        while b"\r\n\r\n" not in self.buffer:
            self._fill(deadline)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *rest = head.decode().split("\r\n")
        return int(first.split()[1]), {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in rest)}

    # Frames and messages

    def send_frame(self, opcode, payload=b"", **options):
        self.send_bytes(frame(opcode, payload, **options))

    def send(self, value, opcode=TEXT):
        self.send_frame(opcode, json.dumps(value, separators=(",", ":")).encode())

    def next_frame(self, seconds=None):
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        # Nothing is taken before all of it is there: a frame that comes in pieces stays in the buffer when the time is over.
        self._need(2, deadline)
        first, second = self.buffer[:2]
        assert not first & 0x70, "a reserved bit is set"
        assert not second & 0x80, "a server must not mask"
        header = {126: 4, 127: 10}.get(second, 2)
        self._need(header, deadline)
        length = int.from_bytes(self.buffer[2:header], "big") if header > 2 else second
        self._need(header + length, deadline)
        payload, self.buffer = self.buffer[header:header + length], self.buffer[header + length:]
        return bool(first & 0x80), first & 0x0F, payload

    def next_bytes(self, seconds=None):
        """The next whole message as bytes; answers pings on the way, raises `Ended` at a close."""
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        while True:
            fin, opcode, payload = self.next_frame(max(deadline - time.monotonic(), 0))
            if opcode == PING:
                self.send_frame(PONG, payload)
            elif opcode == CLOSE:
                code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None
                with contextlib.suppress(OSError):
                    self.send_frame(CLOSE, payload[:2])
                raise Ended(code, payload[2:].decode())
            elif opcode in (TEXT, CONTINUATION):
                self.fragments += payload
                if fin:
                    message, self.fragments = self.fragments, b""
                    return message
            else:
                assert opcode == PONG, f"unexpected opcode {opcode}"

    def next(self, kind=None, seconds=None):
        """The next message; with `kind`, the next of that type."""
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        while True:
            message = json.loads(self.next_bytes(max(deadline - time.monotonic(), 0)))
            if kind in (None, message["type"]):
                return message

    def snapshot(self, condition=lambda snapshot: True, seconds=None):
        """The next snapshot that fulfils `condition`."""
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        while True:
            message = self.next("snapshot", max(deadline - time.monotonic(), 0))
            if condition(message["snapshot"]):
                return message["snapshot"]

    def end(self, seconds=None):
        """Reads until the other side closes and returns its `Ended`."""
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        try:
            while True:
                self.next_bytes(max(deadline - time.monotonic(), 0))
        except Ended as end:
            return end

    def authenticate(self, token, fresh=False):
        message = {"type": "auth", "protocol": 1, "token": token}
        if fresh:
            message["capabilities"] = ["fresh"]
        self.send(message)
        self.ready = self.next()
        assert self.ready["type"] == "ready", self.ready
        return self.ready

    def ask(self, request, seconds=10, **fields):
        """Sends a command and returns its result."""
        self.send(command(request, **fields))
        deadline = time.monotonic() + seconds
        while True:
            result = self.next("result", max(deadline - time.monotonic(), 0))
            if result["requestId"] == request:
                return result
