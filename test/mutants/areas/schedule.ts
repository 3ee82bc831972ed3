/** Who runs when. */
import { inEngine } from "../mutant.ts"

const tests = ["test/pipeline/schedule"]

export const scheduleMutants = inEngine("schedule", [
  {
    mistake: "lets a read share the turn of a write",
    file: "src/pipeline/schedule/lanes.ts",
    from: "(isShared && active < mostSharing && this.shares(call))",
    to: "(active < mostSharing && this.shares(call))",
    tests,
  },
  {
    mistake: "has reads wait behind a write that was cancelled",
    file: "src/pipeline/schedule/lanes.ts",
    from: "      if (lane.isShared) this.pump(lane)\n",
    to: "",
    tests,
  },
  {
    mistake: "does what is sent in the async context of whoever sends it",
    file: "src/pipeline/schedule/mailbox.ts",
    from: "call.origin.runInAsyncScope(this.deliverTo, this, call)",
    to: "this.deliverTo(call)",
    tests: ["test/pipeline/call/async-context.test.ts", "test/pipeline/call"],
  },
  {
    mistake: "asks for a timer that is longer than one can be",
    file: "src/pipeline/time/deadlines.ts",
    from: "Math.min(Math.max(0, at - this.now()), longestTimer)",
    to: "Math.max(0, at - this.now())",
    tests,
  },
  {
    mistake: "lets a deadline that took another's place stand where it is too early",
    file: "src/pipeline/time/deadline-heap.ts",
    from: "    this.sink(last, last.slot!)\n",
    to: "",
    tests,
  },
  {
    mistake: "gives one that left and came back its old place",
    file: "src/pipeline/schedule/fifo.ts",
    from: "if (this.front === item) this.front = undefined",
    to: "",
    tests,
  },
  {
    mistake: "never lets the event loop turn between steps",
    file: "src/pipeline/schedule/step-budget.ts",
    from: "if (this.steps < stepsPerTurn) return true",
    to: "if (this.steps > 0) return true",
    tests: ["test/pipeline/call", "test/pipeline"],
  },
])
