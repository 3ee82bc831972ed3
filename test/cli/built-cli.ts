/** The command as it is published, and how tests run it. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { beforeAll } from "vitest"
import { builtPackage } from "../support/built-package.ts"
import { root } from "../support/root.ts"

export const checkout = root

/** The command, built before the tests of a file. `path` is the file to run. */
export const useCli = (): { readonly path: string } => {
  let folder: string
  beforeAll(async () => {
    folder = await builtPackage()
  })
  return {
    get path() {
      return join(folder, "dist/cli.js")
    },
  }
}

export interface CommandResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd?: string
  /** What is written to its stdin. Default: nothing. */
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
}

/** Runs node without a terminal. */
export const runNode = (args: ReadonlyArray<string>, options: CommandOptions = {}): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const { cwd, input = "", env = process.env } = options
    const child = spawn(process.execPath, args, {
      cwd,
      env: plainEnvironment(env),
      // One that waits for ever is none that waits on in the background.
      timeout: 90_000,
      killSignal: "SIGKILL",
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
    child.on("error", reject)
    child.on("close", (status) => resolve({ status, stdout, stderr }))
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })

/** Without what would turn colours on or off, and with the code that a run of tests keeps compiled. */
export const plainEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { NO_COLOR: _no, FORCE_COLOR: _force, NODE_DISABLE_COLORS: _disable, CI: _ci, ...rest } = env
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? rest : { ...rest, NODE_COMPILE_CACHE }
}
