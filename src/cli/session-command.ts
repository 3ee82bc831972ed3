/** `stepline` without arguments: a session on a terminal; without one, the tour, in a checkout. */
import { access } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Session } from "../hosts/terminal/session.ts"
import { loadCorrections } from "../io/corrections.ts"
import type { ToolExecutor } from "../pipeline/executor.ts"
import { messageOf } from "../text/message-of.ts"
import { databaseName } from "./database-name.ts"
import { agentOfPerson, untilTaken } from "./durable-store.ts"
import { fileHistory, historyPath } from "./history-file.ts"
import { type LocalExecutor, type LocalOptions, localExecutor } from "./local-executor.ts"
import { openPage, type PageOptions } from "./page.ts"
import { personOf } from "./person.ts"
import { type RunOptions, runCommand } from "./run-command.ts"
import { shortPath } from "./short-path.ts"
import { Stopping } from "./stopping.ts"
import { UsageError } from "./usage-error.ts"

/** Two folders up, both from this source file and from the built chunk. */
const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** The number of corrections, or why they cannot be read: the session works without them. */
const correctionsNote = async (cwd: string): Promise<string | undefined> => {
  try {
    const { length } = await loadCorrections(cwd, { limit: Number.POSITIVE_INFINITY })
    if (length === 0) return undefined
    return length === 1
      ? "1 correction is recorded here; /corrections shows it."
      : `${length} corrections are recorded here; /corrections shows them.`
  } catch (error) {
    return messageOf(error)
  }
}

const count = (number: number, what: string): Array<string> => {
  if (number === 0) return []
  return [number === 1 ? `1 ${what}` : `${number} ${what}s`]
}

/** Describes the unfinished calls of a store; undefined if there are none. */
const goingOn = (executor: ToolExecutor, store: string, many: string, one: string): string | undefined => {
  const calls = executor.inspect()
  const tasks = calls.filter(({ background }) => background).length
  const { length: previews } = executor.agent().pendingActions.list()
  const parts = [
    ...count(calls.length - tasks, "call"),
    ...count(tasks, "background task"),
    ...count(previews, "preview"),
  ]
  if (parts.length === 0) return undefined
  const verb = calls.length + previews === 1 ? one : many
  return `${new Intl.ListFormat("en").format(parts)} ${verb} in ${databaseName(store) ?? store}.`
}

/** Resolves with the exit status. */
const interactive = async (options: LocalOptions & PageOptions, version: string): Promise<number> => {
  const local = await localExecutor(options)
  const stopping = new Stopping()
  try {
    await untilTaken([agentOfPerson], local.durable, stopping.signal)
    if (stopping.status === undefined) await converse(local, options, version, stopping)
  } finally {
    await local.executor.shutdown()
    await local.close()
    stopping.end()
  }
  return stopping.status ?? 0
}

/** Shown to users who have never typed a line. */
const firstSteps = `Type a tool and its arguments: read_file README.md 1 20, or shell ls -l. "&" at the end runs a call in the background.
A call asks before it changes something: y approves, n denies, e edits, a makes a rule.`

/** Runs the session until the user leaves. */
const converse = async (
  local: LocalExecutor,
  options: LocalOptions & PageOptions,
  version: string,
  stopping: Stopping,
): Promise<void> => {
  const { executor, durable, cwd, filters, rulesPath, editor, start } = local
  // Before any call of the store continues.
  const left =
    options.durable === undefined ? undefined : goingOn(executor, options.durable, "go on", "goes on")
  let pageNote: string | undefined
  const page = await openPage(local, options, (line) => {
    pageNote = line
  })
  const by = personOf(options.as)
  const status = await editor?.status()
  const isNew = !(await isThere(historyPath(process.env)))
  const greeting = [
    `stepline ${version} in ${cwd}. /help shows how to call the tools, Ctrl-D leaves.`,
    isNew ? firstSteps : undefined,
    left,
    status?.sentence,
    pageNote,
    await correctionsNote(cwd),
  ]
  const session = new Session({
    executor,
    greeting: greeting.filter((line) => line !== undefined).join("\n"),
    cwd,
    filters,
    ...(by !== undefined && { by }),
    ...(rulesPath !== undefined && { rulesPath: shortPath(rulesPath, cwd) }),
    ...(durable !== undefined && {
      ...(await durable.callNumbers()),
      farewell: () => goingOn(executor, options.durable!, "wait", "waits"),
    }),
    history: fileHistory(historyPath(process.env)),
    corrections: () => loadCorrections(cwd, { limit: Number.POSITIVE_INFINITY }),
  })
  void stopping.asked.then(() => session.leave())
  // Not awaited: tools can ask their user in the session before they are ready.
  const started = start(session.ui).then((problems) => {
    for (const problem of problems) session.ui.notify(problem, "warning")
  })
  try {
    await session.run()
  } finally {
    stopping.end()
    await started
    await page?.close()
  }
}

/**
 * Runs the tour: real calls on the checkout, only under the tour's own rules; its script states how each call ends. Resolves
 * with the exit status; undefined outside of a checkout.
 */
export const tourCommand = async (): Promise<number | undefined> => {
  const tour = packageFile("examples/tour.jsonl")
  if (!(await isThere(tour))) return undefined
  const config = packageFile("examples/tour.toml")
  const status = await runCommand(tour, { cwd: packageFile(""), config, discovery: false, keptRules: false })
  if (status === 0) {
    const next = "On a terminal, stepline opens a session for calls of your own; --help shows the rest."
    process.stdout.write(`\nThis was the tour: real calls in this checkout, which is unchanged. ${next}\n`)
  }
  return status
}

/**
 * Runs a session on a terminal, or its lines if there is no screen; without any line, the tour. Resolves with the exit
 * status; undefined if there is nothing to do.
 */
export const sessionCommand = async (options: RunOptions, version: string): Promise<number | undefined> => {
  const { stdin, stdout, env } = process
  if (options.timeline !== undefined)
    throw new UsageError("--timeline is for `stepline run` and `stepline TOOL`, not for a session.")
  if (stdin.isTTY && stdout.isTTY && env.TERM !== "dumb") {
    if (options.json === true)
      throw new UsageError("--json is for `stepline run` and `stepline TOOL`, not for a session.")
    if (options.yes === true)
      throw new UsageError("--yes is for calls and for lines on stdin: a session asks at its gates.")
    return interactive(options, version)
  }
  if (options.json === true)
    throw new UsageError("--json is for `stepline run` and `stepline TOOL`, not for a session's lines.")
  if (options.durable !== undefined)
    throw new UsageError("--durable is for a session on a terminal, and for `stepline run`: not for lines.")
  const { linesCommand } = await import("./lines-command.ts")
  return linesCommand(options)
}
