/** `stepline undo`: undoes the changes of calls in a folder, also of processes that have ended. */
import { createInterface } from "node:readline"
import { recordedChanges } from "../handlers/file-changes.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { changeLines } from "../hosts/terminal/session-text.ts"
import { hasColors, styleOf } from "../hosts/terminal/style.ts"
import { ToolRegistry } from "../model/registry.ts"
import { ToolExecutor } from "../pipeline/executor.ts"
import { withoutHint } from "../resolve/reminder.ts"
import type { CallChanges } from "../undo/changes.ts"
import { expectFolder } from "./local-executor.ts"
import { exitStatus } from "./tally.ts"
import { typedBefore } from "./until-quiet.ts"
import { UsageError } from "./usage-error.ts"

export interface UndoCommandOptions {
  readonly cwd?: string
  readonly last?: string
  /** Only lists what can be undone. */
  readonly list?: boolean
  readonly yes?: boolean
}

const countOf = (last: string | undefined): number => {
  if (last === undefined) return 1
  if (/^[1-9]\d{0,5}$/.test(last)) return Number(last)
  throw new UsageError(`--last ${last}: give a number of calls`)
}

const isUndoable = ({ paths, undoes, undoneBy }: CallChanges): boolean =>
  paths.length > 0 && undoes === undefined && undoneBy === undefined

/** Asks for a confirmation, which only a person can give. */
const confirm = async ({ yes }: UndoCommandOptions): Promise<boolean> => {
  if (yes === true) return true
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) {
    process.stdout.write("Nothing is changed: add --yes to make these changes.\n")
    return false
  }
  await typedBefore(process)
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdin, output: stdout })
    let answer: string | undefined
    // Also Ctrl-C, Ctrl-D and the end of the terminal.
    lines.once("close", () => {
      if (answer === undefined) stdout.write("\n")
      resolve(/^\s*y(es)?\s*$/i.test(answer ?? ""))
    })
    lines.question("Make these changes? [y/N] ", (line) => {
      answer = line
      lines.close()
    })
  })
}

/** Resolves with the exit status: 1 if nothing can be undone, 3 without a confirmation. */
export const undoCommand = async (
  callId: string | undefined,
  options: UndoCommandOptions,
): Promise<number> => {
  const { stdout } = process
  const last = countOf(options.last)
  const cwd = await expectFolder(options.cwd ?? process.cwd())
  await using executor = new ToolExecutor(new ToolRegistry([]), { cwd })
  executor.restoreChanges(await recordedChanges({ cwd }))
  const changes = executor.changes()
  if (options.list === true) {
    const screen = { width: stdout.columns ?? 200, style: styleOf(hasColors(stdout)) }
    stdout.write(`${changeLines(changes, screen).join("\n")}\n`)
    return exitStatus.asExpected
  }
  const named = changes.findLast((each) => each.callId === callId || each.callId.endsWith(`:${callId}`))
  const latest = callId === undefined ? changes.findLast(isUndoable) : named
  const agent = executor.agent(latest?.agentId)
  const { content, status } = await agent.undo(
    callId === undefined ? { last } : { callId: latest?.callId ?? callId },
  )
  stdout.write(`${printable(withoutHint(content))}\n`)
  if (status !== "complete") return exitStatus.failed
  if (!(await confirm(options))) return exitStatus.denied
  const applied = await agent.resolve({ action: "apply", reason: "As the user asked" })
  stdout.write(`${printable(applied.content)}\n`)
  return applied.status === "complete" ? exitStatus.asExpected : exitStatus.failed
}
