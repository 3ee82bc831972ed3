/** Background tasks, the events that hosts read, and what else outlives a call. */
import { inEngine } from "../mutant.ts"

export const taskMutants = [
  ...inEngine("tasks", [
    {
      mistake: "runs one more in the background than it may",
      file: "src/pipeline/schedule/pool.ts",
      from: "concurrency: this.concurrency }",
      to: "concurrency: this.concurrency + 1 }",
      tests: ["test/pipeline/schedule"],
    },
    {
      mistake: "starts background calls in the order of asking, whatever their priority",
      file: "src/pipeline/schedule/pool.ts",
      from: ", { priority: call.toolCall.priority ?? 0 }",
      to: "",
      tests: ["test/pipeline/schedule"],
    },
    {
      mistake: "keeps more results than `maxTasks`",
      file: "src/tasks/background-tasks.ts",
      from: "if (this.finished.size <= max && this.finished",
      to: "if (this.finished",
      tests: ["test/pipeline/stores"],
    },
    {
      mistake: "says of a task that it has expired whose id was used before",
      file: "src/tasks/background-tasks.ts",
      from: "    this.forgetExpired(callId)\n",
      to: "",
      tests: ["test/pipeline/stores"],
    },
    {
      mistake: "lets an agent take the task of another",
      file: "src/tasks/task-answers.ts",
      from: "const taken = own(tasks, agentId, id) && tasks.take(id)",
      to: "const taken = tasks.take(id)",
      tests: ["test/pipeline/stores"],
    },
    {
      mistake: "loses the result of a task that streamed nothing and was read before",
      file: "src/tasks/output-reads.ts",
      from: "rest: end === 0 ? content : text",
      to: "rest: text",
      tests: ["test/pipeline/stores"],
    },
    {
      mistake: "keeps an agent cancelled for good",
      file: "src/pipeline/stores/agent-signals.ts",
      from: "      this.controllers.delete(id)\n",
      to: "",
      tests: ["test/pipeline/stores"],
    },
    {
      mistake: "cleans up at the shutdown in the order of making",
      file: "src/pipeline/stores/shutdown-cleanups.ts",
      from: "[...this.waiting].reverse()",
      to: "[...this.waiting]",
      tests: ["test/pipeline/shutdown.test.ts", "test/pipeline"],
    },
  ]),
  ...inEngine("events", [
    {
      mistake: "counts a delta that it took back among the unread ones",
      file: "src/pipeline/events/event-queue.ts",
      from: "    this.deltas.forget(last.event)\n",
      to: "",
      tests: ["test/pipeline/events"],
    },
    {
      mistake: "gives the next event to an iterator that was returned",
      file: "src/pipeline/events/event-queue.ts",
      from: "    this.queue.withdraw(this)\n",
      to: "",
      tests: ["test/pipeline/events"],
    },
    {
      mistake: "bounds unread deltas by their number alone",
      file: "src/pipeline/events/unread-deltas.ts",
      from: "this.sizes.size < this.bounds.deltas && this.bytes < this.bounds.bytes",
      to: "this.sizes.size < this.bounds.deltas",
      tests: ["test/pipeline/events"],
    },
    {
      mistake: "reads on at the wrong place once the start of a stream was cut",
      file: "src/pipeline/events/transcript.ts",
      from: "Math.max(0, characters - (this.total - this.text.length))",
      to: "characters",
      tests: ["test/pipeline/stores", "test/pipeline/events"],
    },
    {
      mistake: "fails the call whose watcher throws",
      file: "src/watching/watchers.ts",
      from: "tellAlone(() => how(watcher))",
      to: "how(watcher)",
      tests: ["test/watching/watch.test.ts", "test/pipeline"],
    },
  ]),
]
