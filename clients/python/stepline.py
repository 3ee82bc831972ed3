"""Drives `stepline serve`: runs the tools of an AI agent from Python. Standard library only, Python 3.10 or newer.

    with Stepline(["npx", "stepline", "serve"]) as agent:
        for event in agent.run({"name": "shell", "params": {"command": "ls"}}):
            if event["_tag"] == "AwaitingApproval":
                agent.approve(event["callId"])
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import IO, Any

Event = dict[str, Any]
HostTool = Callable[[Any, "HostCall"], Any]
ENDS = frozenset({"Completed", "Error", "Denied", "Cancelled"})


class SteplineError(Exception):
    """A request that was refused: `code` as in JSON-RPC, and what to do instead."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


class SteplineClosed(Exception):
    """The process has ended: what it had not answered will never be."""


@dataclass(frozen=True)
class HostCall:
    """The call that a tool of ours runs for. `cancelled` is set when nobody waits for its answer any more."""

    call_id: str
    agent_id: str
    cancelled: threading.Event = field(default_factory=threading.Event)


class Stepline:
    """One process and its executor, for all threads; one of them reads the events. `window`: events that may wait here,
    past it the process waits. `session`: the rest of `initialize`, such as `effects`, those that `respond` will answer."""

    def __init__(
        self, command: Sequence[str], *, window: int = 256, stderr: int | IO[Any] | None = None, **session: Any
    ) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._answers: dict[int, Future[Any]] = {}
        self._events: queue.SimpleQueue[tuple[int, Event] | None] = queue.SimpleQueue()
        self._tools: dict[str, HostTool] = {}
        self._running: dict[str, HostCall] = {}
        self._ids, self._given, self._window, self._closing, self._ended = 0, 0, window, False, ""
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.request("initialize", protocolVersion=1, window=window, **session)
        except BaseException:
            self.close()
            raise

    def request(self, method: str, **params: Any) -> Any:
        """The answer to a request. Parameters that are None are not sent."""
        return self.send(method, **params).result()

    def send(self, method: str, **params: Any) -> Future[Any]:
        """The same without waiting: the future fails with SteplineError or SteplineClosed, and cannot be cancelled."""
        json.dumps(params, allow_nan=False)  # Raises for what is no JSON, before anything waits for an answer.
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()
        with self._lock:
            if self._ended:
                raise SteplineClosed(self._ended)
            self._ids += 1
            self._answers[number := self._ids] = answer
        self._write(method, {name: value for name, value in params.items() if value is not None}, {"id": number})
        return answer

    def tool(
        self, name: str, description: str, parameters: Mapping[str, Any], *, approval: bool = True, **more: Any
    ) -> Callable[[HostTool], HostTool]:
        """Makes a function a tool. It is called in a thread of its own and gives text or an output; what it raises is
        the call's Error. `approval`: whether a call of it is asked first. `more`: as `tools/define` takes it."""

        def define(function: HostTool) -> HostTool:
            self._tools[name] = function
            told = {"name": name, "description": description, "parameters": parameters, "approval": approval, **more}
            self.request("tools/define", tools=[told])
            return function
        return define

    def enqueue(self, *calls: Mapping[str, Any], truncated: bool = False) -> list[str]:
        """`truncated`: whether the model's answer was cut at its token limit. Then each call ends as an Error, and nothing runs."""
        return self.request("enqueue", calls=calls, truncated=truncated)["callIds"]

    def run(self, call: Mapping[str, Any]) -> Iterator[Event]:
        """Enqueues a call and gives all events up to its last one, or to where it goes on in the background."""
        (call_id,) = self.enqueue(call)
        for event in self.events():
            yield event
            if event.get("callId") == call_id and event["_tag"] in ENDS | {"BackgroundStarted"}:
                return

    def events(self) -> Iterator[Event]:
        """What happens, each event once. Ends after `close`; raises SteplineClosed if the process ended by itself."""
        while (told := self._events.get()) is not None:
            self._given += 1
            if self._given % max(1, self._window // 2) == 0:
                self._write("ack", {"seq": told[0]})
            yield told[1]
        self._events.put(None)
        if not self._closing:
            raise SteplineClosed(self._ended)

    def approve(self, call_id: str, **answer: Any) -> bool:
        """`answer`: `params` to run with instead, `reason`, `remember`, `by`: who answers. True if it took effect, as of all answers."""
        return self.request("approve", callId=call_id, **answer)["took"]

    def deny(self, call_id: str, reason: str | None = None, *, by: str | None = None) -> bool:
        return self.request("deny", callId=call_id, reason=reason, by=by)["took"]

    def answer(self, *answers: Mapping[str, Any], by: str | None = None) -> list[dict[str, Any]]:
        """Decides several gates: `{"callId": …, "approve": True}` or `"deny": "reason"`. Gives each `callId`, `took` and, if not, `why`."""
        return self.request("answer", answers=answers, by=by)["outcomes"]

    def respond(self, call_id: str, output: Any = None, *, error: str | None = None, by: str | None = None) -> bool:
        return self.request("respond", callId=call_id, output=output, error=error, by=by)["took"]

    def cancel(self, call_id: str, reason: str | None = None) -> bool:
        return self.request("cancel", callId=call_id, reason=reason)["took"]

    def close(self, timeout: float = 15) -> int:
        """Cancels all calls, waits for their cleanup, gives the exit status. Events that were not read are dropped."""
        self._closing = True
        with contextlib.suppress(OSError):  # It had ended before.
            self._process.stdin.close()  # type: ignore[union-attr]
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout)
        self._process.kill()
        return self._process.wait()

    def __enter__(self) -> Stepline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, method: str, params: Mapping[str, Any], request: Mapping[str, int] = {}) -> None:
        line = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **request}) + "\n"
        # If it has ended, whoever waits for its output is told.
        with contextlib.suppress(OSError, ValueError), self._writing:
            self._process.stdin.write(line.encode())  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]

    def _read(self) -> None:
        line = b""
        try:
            for line in self._process.stdout:  # type: ignore[union-attr]
                if (message := json.loads(line)).get("method") == "event":
                    self._told(**message["params"])
                elif (answer := self._answers.pop(message["id"], None)) is not None:
                    failed = message.get("error")
                    answer.set_exception(SteplineError(**failed)) if failed else answer.set_result(message["result"])
            ended = f"The process has ended with status {self._process.wait()}"
        except Exception:  # Whoever waits must be told.
            ended = f"The process wrote a line that is none of `stepline serve`: {line.decode(errors='replace').strip():.200}"
            self._process.kill()
        self._process.stdout.close()  # type: ignore[union-attr]
        with self._lock:
            self._ended = ended
        self._events.put(None)
        for call in self._running.values():
            call.cancelled.set()
        for answer in self._answers.values():
            answer.set_exception(SteplineClosed(ended))

    def _told(self, seq: int, event: Event) -> None:
        if event["_tag"] == "Delegate" and event["effect"]["_tag"] == "HostTool":
            call = self._running[event["callId"]] = HostCall(event["callId"], event["agentId"])
            threading.Thread(target=self._run_tool, args=(call, event["effect"]), daemon=True).start()
        elif event["_tag"] in ENDS | {"BackgroundCompleted"} and event["callId"] in self._running:
            self._running.pop(event["callId"]).cancelled.set()
        if not self._closing:
            self._events.put((seq, event))

    def _run_tool(self, call: HostCall, effect: Event) -> None:
        try:
            answer = {"output": self._tools[effect["name"]](effect["params"], call)}
            json.dumps(answer, allow_nan=False)
        except BaseException as error:  # `sys.exit` too would leave the call without an answer.
            answer = {"error": str(error) or type(error).__name__}
        with contextlib.suppress(SteplineError, SteplineClosed):  # Nobody waits for it any more.
            self.respond(call.call_id, **answer)
