"""Runs a command until somebody kills this client."""

import sys

from stepline import Stepline

agent = Stepline(sys.argv[1:])
for event in agent.run({"name": "shell", "params": {"command": sys.stdin.readline()}, "decision": "approve"}):
    print(event["_tag"], flush=True)
