"""The process is killed while a call runs, a task is waited for, and an own tool works."""

import json
import os
import signal
import sys
import threading

from stepline import Stepline, SteplineClosed

agent = Stepline(sys.argv[1:])
let_go = threading.Event()


@agent.tool("own", "Waits until nobody waits for it.", {"type": "object", "properties": {}}, approval=False)
def own(params, call):
    call.cancelled.wait()
    let_go.set()


agent.enqueue(
    {"name": "own"},
    {"callId": "task", "name": "shell", "params": {"command": sys.stdin.readline()}, "decision": "approve", "background": True},
)
waiting = agent.send("tasks/wait", taskId="task")
try:
    told = set()
    for event in agent.events():
        told.add(event["_tag"])
        if {"Delta", "Delegate"} <= told:
            os.kill(agent._process.pid, signal.SIGKILL)
except SteplineClosed as error:
    print(json.dumps(["events", str(error)]))
try:
    waiting.result()
except SteplineClosed as error:
    print(json.dumps(["a request that waited", str(error)]))
try:
    agent.request("inspect")
except SteplineClosed as error:
    print(json.dumps(["a request after that", str(error)]))
let_go.wait()
print(json.dumps(["closed", agent.close()]))
