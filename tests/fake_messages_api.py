"""A Messages API on loopback whose main model delegates and whose subagents answer.

It knows three kinds of request, told apart by what their user text contains:

- the main thread's first turn (`KICK_OFF`) gets one ``Agent`` call for each wanted subagent;
- a subagent's turn (`TASK` and a name) gets a line that says who answered;
- anything else, such as the main thread's later turns, gets ``ok``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

KICK_OFF = "Hand out the work."
TASK = "Work for subagent "
TOOL_USE_ID = "toolu_delegate_"

JsonDict = dict[str, Any]


class FakeMessagesApi:
    """Context manager around the server; `requests` holds every body that arrived."""

    def __init__(self, delegate_to: Sequence[str] = ()) -> None:
        self.delegate_to = tuple(delegate_to)
        self.requests: list[JsonDict] = []
        self.stop_reason: str | None = None
        """Why each message ends; None: as its content has it."""
        self.error: tuple[int, str] | None = None
        """A status and a message to answer with instead."""
        self._lock = threading.Lock()
        self._server = _Server(self)
        # Polls often, because the exit waits for the next poll.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        """What ANTHROPIC_BASE_URL has to be."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeMessagesApi:  # noqa: PYI034 - typing.Self is not in 3.10
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()  # waits for the handlers: none is a daemon
        self._thread.join()

    def receive(self, body: JsonDict) -> list[JsonDict]:
        """Record one request and return the content blocks that answer it."""
        with self._lock:
            self.requests.append(body)
        return _answer(body, self.delegate_to)

    def main_request(self) -> JsonDict | None:
        """The first request of the main thread, once there was one."""
        return next(filter(_is_main_thread, self._recorded()), None)

    def subagent_requests(self) -> dict[str, JsonDict]:
        """The first request of each subagent, by its name."""
        first: dict[str, JsonDict] = {}
        for body in self._recorded():
            name = _subagent_of(body)
            if name is not None:
                first.setdefault(name, body)
        return first

    def _recorded(self) -> list[JsonDict]:
        with self._lock:
            return list(self.requests)


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, api: FakeMessagesApi) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api


class _Handler(BaseHTTPRequestHandler):
    """Speaks HTTP/1.0, so that a thread ends with its request and not with the client."""

    timeout = 10  # a client that connects and stays silent must not hold up the exit
    server: _Server

    def do_POST(self) -> None:
        """Answer ``/v1/messages`` and ``/v1/messages/count_tokens``."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self._send(200, "application/json", json.dumps({"input_tokens": 1}))
        elif path == "/v1/messages":
            self._send_message(body)
        else:
            self._refuse()

    def do_GET(self) -> None:
        """There is nothing to get; the CLI probes now and then, and takes no for an answer."""
        self._refuse()

    do_HEAD = do_GET  # noqa: N815 - the base looks for this name

    def _refuse(self) -> None:
        error = {"type": "not_found_error", "message": f"nothing at {self.path}"}
        self._send(404, "application/json", json.dumps({"type": "error", "error": error}))

    def _send_message(self, body: JsonDict) -> None:
        api = self.server.api
        message = _message(body["model"], api.receive(body), api.stop_reason)
        if api.error is not None:
            status, reason = api.error
            error = {"type": "invalid_request_error", "message": reason}
            self._send(status, "application/json", json.dumps({"type": "error", "error": error}))
            return
        if body.get("stream"):
            self._send(200, "text/event-stream", "".join(_events(message)))
        else:
            self._send(200, "application/json", json.dumps(message))

    def _send(self, status: int, content_type: str, text: str) -> None:
        payload = text.encode()
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output free of access logs."""


def user_texts(body: JsonDict) -> Iterator[str]:
    """Every piece of text in the user's messages; tool results are not among them."""
    for message in body.get("messages", ()):
        if message["role"] == "user":
            yield from block_texts(message["content"])


def block_texts(content: str | Iterable[JsonDict]) -> Iterator[str]:
    """The texts of a field that the API lets be either a string or a list of blocks."""
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if block["type"] == "text":
            yield block["text"]


def tool_names(body: JsonDict) -> tuple[str, ...]:
    """The tools that a request offers to the model, in their order."""
    return tuple(tool["name"] for tool in body.get("tools", ()))


def _is_main_thread(body: JsonDict) -> bool:
    # The CLI's own side requests (a title for the session, say) quote the user's text as well,
    # but offer no tool to delegate with.
    return "Agent" in tool_names(body) and any(KICK_OFF in text for text in user_texts(body))


def _subagent_of(body: JsonDict) -> str | None:
    for text in user_texts(body):
        _, found, rest = text.partition(TASK)
        if found:
            # The name travels as a JSON string: it may contain anything, and still ends clearly.
            return str(json.JSONDecoder().raw_decode(rest)[0])
    return None


def _answer(body: JsonDict, delegate_to: Sequence[str]) -> list[JsonDict]:
    name = _subagent_of(body)
    if name is not None:
        return [_text(f"{name} has answered.")]
    is_first_turn = all(message["role"] != "assistant" for message in body.get("messages", ()))
    if delegate_to and is_first_turn and _is_main_thread(body):
        return [_delegation(index, name) for index, name in enumerate(delegate_to)]
    return [_text("ok")]


def _text(text: str) -> JsonDict:
    return {"type": "text", "text": text}


def _delegation(index: int, name: str) -> JsonDict:
    return {
        "type": "tool_use",
        "id": f"{TOOL_USE_ID}{index}",
        "name": "Agent",
        "input": {
            "description": "delegated work",
            "prompt": f"{TASK}{json.dumps(name)}.",
            "subagent_type": name,
            "run_in_background": False,
        },
    }


def _message(model: str, content: list[JsonDict], stop_reason: str | None) -> JsonDict:
    calls_tools = any(block["type"] == "tool_use" for block in content)
    return {
        # The CLI takes two messages of one id for two parts of one message.
        "id": f"msg_{uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop_reason or ("tool_use" if calls_tools else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _events(message: JsonDict) -> Iterator[str]:
    """The server-sent events that stream `message`, each block in one delta."""
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        start, delta = _start_and_delta(block)
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    stop = {key: message[key] for key in ("stop_reason", "stop_sequence")}
    yield _event("message_delta", delta=stop, usage=message["usage"])
    yield _event("message_stop")


def _start_and_delta(block: JsonDict) -> tuple[JsonDict, JsonDict]:
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    arguments = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": arguments}


def _event(kind: str, **fields: object) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
