/** A real run, for the picture in the README: two agents, a background task, two gates. A tracer keeps when what happened. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import {
  type AwaitingApprovalEvent,
  noIde,
  type TerminalEvent,
  type ToolCallInput,
  ToolExecutor,
  ToolFilters,
  ToolRegistry,
  type Tracer,
} from "stepline"
import { editFileTool, readFileTool, shellTool } from "stepline/tools"

/** A stretch of a call, in milliseconds from the start of the run. */
export interface Stretch {
  readonly kind: "handler" | "gate"
  readonly name: string
  readonly start: number
  end: number
}

/** One call, as the picture shows it. */
export interface RecordedCall {
  /** The agent, or `background`. */
  readonly row: string
  readonly title: string
  readonly start: number
  end: number
  outcome: TerminalEvent["_tag"]
  readonly stretches: Array<Stretch>
}

const argumentOf = (params: unknown): string => {
  const { command, path } = params as { readonly command?: string; readonly path?: string }
  return command ?? path ?? ""
}

const recorder = (calls: Array<RecordedCall>): Tracer => {
  const begin = performance.now()
  const now = () => performance.now() - begin
  return {
    call({ agentId, background, name, params }) {
      const start = now()
      const row = background ? "background" : agentId
      const title = `${name} ${argumentOf(params)}`
      const call: RecordedCall = { row, title, start, end: start, outcome: "Completed", stretches: [] }
      calls.push(call)
      const stretch = (kind: Stretch["kind"], stretchName: string): (() => void) => {
        const added: Stretch = { kind, name: stretchName, start: now(), end: now() }
        call.stretches.push(added)
        return () => {
          added.end = now()
        }
      }
      return {
        handler(handlerName) {
          const end = stretch("handler", handlerName)
          return { run: (work) => work(), wrap: (effect) => effect, end }
        },
        wait: (what) => (what === "approval" ? stretch("gate", what) : () => {}),
        end({ _tag }) {
          call.end = now()
          call.outcome = _tag
        },
      }
    },
  }
}

/** What a person would take to read and answer. */
const answer = async (event: AwaitingApprovalEvent): Promise<void> => {
  await pause(event.name === "edit_file" ? 1300 : 900)
  if (event.name === "edit_file") event.approve()
  else event.deny("Keep the last build.")
}

/** What a model would take between two turns. */
const think = (): Promise<void> => pause(650)

export const recordRun = async (): Promise<ReadonlyArray<RecordedCall>> => {
  const cwd = await mkdtemp(join(tmpdir(), "stepline-"))
  await writeFile(join(cwd, "sum.mjs"), "export const sum = (a, b) => a - b\n")
  await writeFile(
    join(cwd, "sum.test.mjs"),
    'import test from "node:test"\nimport { sum } from "./sum.mjs"\ntest("sum", () => { if (sum(1, 2) !== 3) throw new Error("no") })\n',
  )
  await writeFile(join(cwd, "build.sh"), "for part in core hosts site; do echo $part; sleep 1; done\n")
  const calls: Array<RecordedCall> = []
  const filters = ToolFilters.compile(
    { shell: { allow: ["^node --test$", "^bash build\\.sh$", "^ls$"] } },
    { cwd },
  )
  const registry = new ToolRegistry([readFileTool, editFileTool, shellTool])
  const executor = new ToolExecutor(registry, { cwd, filters, delegates: noIde, trace: recorder(calls) })
  const run = (call: ToolCallInput) =>
    executor.run(call, (event) => {
      if (event._tag === "AwaitingApproval") void answer(event)
    })
  const shell = (command: string, agentId = "main") => run({ name: "shell", params: { command }, agentId })

  const main = async (): Promise<void> => {
    await run({ name: "shell", params: { command: "bash build.sh" }, callId: "build", background: true })
    await run({ name: "read_file", params: { path: "sum.mjs" } })
    await think()
    await run({
      name: "edit_file",
      params: { path: "sum.mjs", edits: [{ old_string: "a - b", new_string: "a + b" }] },
    })
    await think()
    await shell("node --test")
  }
  const reviewer = async (): Promise<void> => {
    await think()
    await shell("rm -rf dist", "reviewer")
    await think()
    await shell("ls", "reviewer")
  }
  await Promise.all([main(), reviewer()])
  await executor.tasks.wait("build")
  await executor.shutdown()
  await rm(cwd, { recursive: true })
  return calls
}
