"""Makes the calls of its stdin, a JSON line each, answers them as their user would, and prints what the model is told."""

import json
import sys

from stepline import Stepline

ready_file, *command = sys.argv[1:]

with Stepline(command) as agent:
    for line in sys.stdin:
        asked = json.loads(line)
        answer, when_shown = asked["answer"], asked.get("whenShown")
        if asked["name"] == "resolve":
            print(json.dumps(agent.request("resolve", **asked["params"])["content"]), flush=True)
            continue
        if asked["name"] == "wait_background_task":
            task = agent.request("tasks/wait", taskId=asked["params"]["task_id"])["task"]
            print(json.dumps(task["content"]), flush=True)
            continue
        for event in agent.run({"name": asked["name"], "params": asked["params"]}):
            if event["_tag"] == "AwaitingApproval":
                if answer == "approve":
                    agent.approve(event["callId"])
                elif "reason" in answer:
                    agent.deny(event["callId"], answer["reason"])
                else:
                    agent.approve(event["callId"], params=answer["params"])
            elif event["_tag"] == "Delta" and "uploading" in event["content"]:
                if when_shown == "cancel":
                    agent.cancel(event["callId"])
                elif when_shown == "let it end":
                    open(ready_file, "w").close()
        told = f"Running in background (task_id: {event['callId']})" if event["_tag"] == "BackgroundStarted" else event["content"]
        print(json.dumps(told), flush=True)
