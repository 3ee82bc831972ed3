/** The command as it is published: compiled once for a test file, because that starts four times as fast as the sources. */
import { execFile, spawn } from "node:child_process"
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll } from "vitest"

export const checkout = fileURLToPath(new URL("../..", import.meta.url))

interface BuiltCli {
  /** The file to run. */
  readonly path: string
  remove(): Promise<void>
}

const buildCli = async (): Promise<BuiltCli> => {
  // Inside node_modules, so that its imports are found.
  const cache = join(checkout, "node_modules/.cache")
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, "stepline-test-"))
  const remove = () => rm(folder, { recursive: true, force: true })
  const tsc = join(checkout, "node_modules/.bin/tsc")
  try {
    await promisify(execFile)(tsc, [
      "-p",
      join(checkout, "tsconfig.build.json"),
      "--noCheck",
      "--outDir",
      join(folder, "dist"),
    ])
    const page = join(checkout, "src/hosts/web/page/bundle-page.js")
    await promisify(execFile)(process.execPath, [page, join(folder, "dist/hosts/web/page")])
    await copyFile(join(checkout, "package.json"), join(folder, "package.json"))
  } catch (error) {
    await remove()
    throw new Error(`The sources do not compile:\n${(error as { stdout?: string }).stdout ?? error}`)
  }
  return { path: join(folder, "dist/cli.js"), remove }
}

/** The command, built before the tests of a file and removed after them. */
export const useCli = (): Pick<BuiltCli, "path"> => {
  let built: BuiltCli
  beforeAll(async () => {
    built = await buildCli()
  })
  afterAll(() => built.remove())
  return {
    get path() {
      return built.path
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
    const child = spawn(process.execPath, args, { cwd, env: plainEnvironment(env) })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
    child.on("error", reject)
    child.on("close", (status) => resolve({ status, stdout, stderr }))
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })

/** Without what would turn colours on or off. */
export const plainEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { NO_COLOR: _no, FORCE_COLOR: _force, NODE_DISABLE_COLORS: _disable, CI: _ci, ...rest } = env
  return rest
}
