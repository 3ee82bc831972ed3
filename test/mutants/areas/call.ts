/** The way of one call. What the exploration of its states finds by itself stands in `test/pipeline/call/mutants.ts`. */
import { inEngine } from "../mutant.ts"

const folder = "test/pipeline/call"
const of = (...files: ReadonlyArray<string>) => [...files.map((file) => `${folder}/${file}.test.ts`), folder]

export const callMutants = inEngine("call", [
  {
    mistake: "begins a requested call in its turn, though nobody has approved it",
    file: "src/pipeline/call/transition.ts",
    from: 'if (decision === "requested") call.state = held',
    to: 'if (decision === "requested" && call.toolCall.background) call.state = held',
    tests: of("requested"),
  },
  {
    mistake: "remembers an edited call of a gate that only a person passes",
    file: "src/pipeline/call/transition.ts",
    from: "call.remember = question.person ? false : remember",
    to: "call.remember = remember",
    tests: of("reviewers", "decisions"),
  },
  {
    mistake: "has a call that was moved to the background wait for a place",
    file: "src/pipeline/call/running.ts",
    from: 'call.place === "held" || call.place === "exempt") return true',
    to: 'call.place === "held") return true',
    tests: of("to-background"),
  },
  {
    mistake: "announces a background call that was cancelled before",
    file: "src/pipeline/call/running.ts",
    from: 'if (call.announced === "due") call.announced = false',
    to: "",
    tests: of("background"),
  },
  {
    mistake: "keeps the memory of an attempt for the edited one",
    file: "src/pipeline/call/cleaning.ts",
    from: "call.memory = undefined",
    to: "",
    tests: of("edits"),
  },
  {
    mistake: "runs the parameters that the hook before the call has replaced",
    file: "src/pipeline/call/admission.ts",
    from: "compose(call, tool, rules, again.params)",
    to: "compose(call, tool, rules, check.params)",
    tests: of("before-call"),
  },
  {
    mistake: "stages an action for a call that was cancelled meanwhile",
    file: "src/pipeline/call/driver.ts",
    from: 'if (call.state._tag === "Running") stageAction(engine, call)',
    to: "stageAction(engine, call)",
    tests: ["test/resolve"],
  },
  {
    mistake: "gives a finally handler no scope for what it acquires",
    file: "src/pipeline/call/handling.ts",
    from: "engine.fork(Effect.scoped(effect)) :",
    to: "engine.fork(effect) :",
    tests: of("scope"),
  },
  {
    mistake: "loses what a call streamed when it is cancelled",
    file: "src/pipeline/context/streaming.ts",
    from: "  call.stream.transcript.append(content)\n",
    to: "",
    tests: of("cancel"),
  },
  {
    mistake: "leaves the generator of a cancelled handler open",
    file: "src/pipeline/call/handling.ts",
    from: "  attempt.closeGenerator()?.catch(ignore)\n",
    to: "",
    tests: of("generator"),
  },
  {
    mistake: "does not fail the unread effect of a host that is gone",
    file: "src/pipeline/questions/asking.ts",
    from: "if (engine.closing) setImmediate(() => failUnread(engine, call))",
    to: "",
    tests: ["test/pipeline/shutdown.test.ts", "test/pipeline/call"],
  },
  {
    mistake: "gives a call its whole time anew after each question",
    file: "src/pipeline/time/call-timer.ts",
    from: "isClocked(state) ? Math.min(this.left ?? limit, limit) : limit",
    to: "limit",
    tests: of("timeouts"),
  },
  {
    mistake: "counts the time that a consumer takes as the handler's",
    file: "src/pipeline/time/call-time.ts",
    from: "timerOf(engine, call).block(state, engine.settings.consumerTimeout)",
    to: "suspended(engine, call)",
    tests: of("consumer-timeout"),
  },
  {
    mistake: "asks all questions of a handler at once",
    file: "src/pipeline/context/midway.ts",
    from: "if (this.line.length === 1) this.askNext()",
    to: "this.askNext()",
    tests: of("delegates", "handler"),
  },
  {
    mistake: "asks the next reviewer of a call that was cancelled",
    file: "src/pipeline/questions/reviewing.ts",
    from: "if (signal.aborted) break",
    to: "",
    tests: of("reviewers"),
  },
  {
    mistake: "takes what the hook after the call puts in, though the tool's schema forbids it",
    file: "src/pipeline/results/after-call.ts",
    from: "(await check(event.output.structured)).length > 0",
    to: "(await check(event.output.structured)).length < 0",
    tests: of("output-schema", "after-call"),
  },
  {
    mistake: "decides on gates that stand behind a preview",
    file: "src/pipeline/questions/deciding.ts",
    from: 'if (part.kind === "resolve") break',
    to: "",
    tests: of("decide"),
  },
])
