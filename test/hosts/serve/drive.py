"""Tools, approvals, own tools, background and cancel, through the client. Prints a JSON line for what it saw."""

import json
import sys
import threading

from stepline import HostCall, Stepline, SteplineError


def show(name, value):
    print(json.dumps([name, value]), flush=True)


def last(events):
    *_, event = events
    return event


with Stepline(sys.argv[1:], filters={"shell": {"allow": ["^echo "]}}) as agent:
    show("approved by a rule", last(agent.run({"name": "shell", "params": {"command": "echo hi"}}))["content"])

    for event in agent.run({"name": "shell", "params": {"command": "cat /etc/hostname"}}):
        if event["_tag"] == "AwaitingApproval":
            show("edited", agent.approve(event["callId"], params={"command": "echo edited"}))
            show("a stale answer", agent.deny(event["callId"]))
    show("ran", event["content"])

    for event in agent.run({"name": "shell", "params": {"command": "rm -r ."}}):
        if event["_tag"] == "AwaitingApproval":
            agent.deny(event["callId"], "not here")
    show("denied", [event["_tag"], event["content"]])

    agent.enqueue(*[{"name": "shell", "callId": c, "agentId": c, "params": {"command": "touch x"}} for c in "ab"])
    asked, ends = 0, {}
    for event in agent.events():
        asked += event["_tag"] == "AwaitingApproval"
        if asked == 2 and event["_tag"] == "AwaitingApproval":
            answers = [{"callId": "a", "deny": "not a"}, {"callId": "b", "approve": {"params": {"command": "echo b"}}}]
            show("many", [outcome["took"] for outcome in agent.answer(*answers, by="ann")])
        if event["_tag"] in ("Denied", "Completed"):
            ends[event["callId"]] = [event["content"], event["decidedBy"]["id"]]
        if len(ends) == 2:
            break
    show("by whom", ends)

    numbers = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}

    @agent.tool("divide", "Divides two numbers.", numbers, approval=False)
    def divide(params, call: HostCall):
        return f"{params['a'] / params['b']}"

    show("own tool", last(agent.run({"name": "divide", "params": {"a": 1, "b": 4}}))["content"])
    show("own tool that raises", last(agent.run({"name": "divide", "params": {"a": 1, "b": 0}}))["content"])
    show("own tool, invalid", last(agent.run({"name": "divide", "params": {"a": "x"}}))["reason"])

    @agent.tool("picture", "Draws.", {"type": "object", "properties": {}}, kind="read")
    def picture(params, call: HostCall):
        return {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}

    for event in agent.run({"name": "picture"}):
        if event["_tag"] == "AwaitingApproval":
            agent.approve(event["callId"])
    show("own tool with a gate and an image", event["output"]["content"][0]["type"])

    @agent.tool("unserializable", "Gives what is no JSON.", {"type": "object", "properties": {}}, approval=False)
    def unserializable(params, call: HostCall):
        return object()

    show("own tool that gives no JSON", last(agent.run({"name": "unserializable"}))["content"])

    @agent.tool("infinite", "Gives a number that JSON has not.", {"type": "object", "properties": {}}, approval=False)
    def infinite(params, call: HostCall):
        return {"content": "x", "details": float("inf")}

    show("own tool that gives a number that JSON has not", last(agent.run({"name": "infinite"}))["content"])

    @agent.tool("leaving", "Ends its thread.", {"type": "object", "properties": {}}, approval=False)
    def leaving(params, call: HostCall):
        sys.exit("gone")

    show("own tool that exits", last(agent.run({"name": "leaving"}))["content"])

    try:
        agent.enqueue({"name": "divide", "params": {"a": float("nan")}})
    except ValueError as error:
        show("parameters that JSON has not", str(error))

    show("taking back what was sent", agent.send("inspect").cancel())

    task = last(agent.run({"name": "divide", "params": {"a": 3, "b": 2}, "background": True}))
    show("background", [task["_tag"], agent.request("tasks/wait", taskId=task["callId"])["task"]["content"]])

    was_cancelled = threading.Event()

    @agent.tool("patient", "Waits until it is cancelled.", {"type": "object", "properties": {}}, approval=False)
    def patient(params, call: HostCall):
        call.cancelled.wait()
        was_cancelled.set()

    for event in agent.run({"name": "patient"}):
        if event["_tag"] == "Delegate" and event["effect"]["name"] == "patient":
            show("cancelling", agent.cancel(event["callId"], "enough"))
    was_cancelled.wait()
    show("cancelled", [event["_tag"], event["content"]])

    try:
        agent.request("enqueue", calls=[{}])
    except SteplineError as error:
        show("refused", [error.code, str(error)])

    show("closed", agent.close())
