/** `stepline` alone: a session on a terminal; without one, the tour of the checkout that it runs in. */
import { access } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Session } from "../hosts/terminal/session.ts"
import { localBrowser } from "../io/browser.ts"
import { type LocalOptions, localExecutor } from "./local-executor.ts"
import { runCommand } from "./run-command.ts"
import { onStop } from "./stopping.ts"

const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const interactive = async (options: LocalOptions, version: string): Promise<number> => {
  const { executor, cwd, editor } = await localExecutor(options)
  const status = await editor?.status()
  const greeting = `stepline ${version} in ${cwd}. /help shows how to call the tools, Ctrl-D leaves.`
  const session = new Session({
    executor,
    greeting: status === undefined ? greeting : `${greeting}\n${status.sentence}`,
  })
  let stopped = 0
  const stopListening = onStop((exitStatus) => {
    stopped = exitStatus
    void session.leave()
  })
  try {
    await session.run()
  } finally {
    stopListening()
    await editor?.host.close()
    await localBrowser.close()
  }
  return stopped
}

/** Gives the exit status; undefined where there is neither a terminal nor a tour. */
export const sessionCommand = async (options: LocalOptions, version: string): Promise<number | undefined> => {
  const { stdin, stdout, env } = process
  if (stdin.isTTY && stdout.isTTY && env.TERM !== "dumb") return interactive(options, version)
  const tour = packageFile("examples/tour.jsonl")
  if (!(await isThere(tour))) return undefined
  return runCommand(tour, { cwd: packageFile(""), config: packageFile("examples/tour.toml") })
}
