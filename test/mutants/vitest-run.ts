/** Runs tests of a copy, and tells what came of it. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"

/** What came of a run. Only a test that failed has found something. */
export type RunOutcome =
  | { readonly _tag: "Passed" }
  | { readonly _tag: "Failed"; readonly tests: ReadonlyArray<string> }
  /** No test failed, and yet it did not pass: sources that do not compile, a file that cannot be collected, no tests. */
  | { readonly _tag: "Broken"; readonly why: string }

export interface RunOptions {
  readonly folder: string
  readonly tests: ReadonlyArray<string>
  readonly project?: string | undefined
  /** Whether it ends with the first test that fails. */
  readonly bail: boolean
  /** In milliseconds. */
  readonly limit: number
  readonly signal: AbortSignal
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

/** How long a run that was asked to end may take, in milliseconds. */
const grace = 10_000

const isFolder = (path: string): boolean => !/\.[cm]?tsx?$/.test(path)

const environment = (): NodeJS.ProcessEnv => {
  const env = { ...process.env }
  // In CI a test that fails is tried again: what is found by chance would be lost.
  for (const name of ["CI", "TEST_REPORT", "TEST_NODE_AGAIN"]) delete env[name]
  return env
}

/** Gives what it said; `isOver`: whether it ended in time. */
const vitest = (
  { folder, tests, project, bail, limit, signal }: RunOptions,
  report: string,
): Promise<{ readonly said: string; readonly code: number | null; readonly isLate: boolean }> =>
  new Promise((resolve, reject) => {
    const args = [
      join(folder, "node_modules/vitest/vitest.mjs"),
      "run",
      // A folder's name may be the beginning of another's.
      ...tests.map((path) => (isFolder(path) ? `${path}/` : path)),
      ...(bail ? ["--bail", "1"] : []),
      ...(project === undefined ? [] : ["--project", project]),
      "--reporter=json",
      `--outputFile=${report}`,
    ]
    // A group of its own, which is ended as a whole.
    const child = spawn(process.execPath, args, { cwd: folder, env: environment(), detached: true })
    let said = ""
    let isLate = false
    const kill = (sent: NodeJS.Signals) => {
      try {
        process.kill(-child.pid!, sent)
      } catch {
        // It has ended.
      }
    }
    let late: NodeJS.Timeout | undefined
    const end = () => {
      kill("SIGTERM")
      late = setTimeout(kill, grace, "SIGKILL")
    }
    const timer = setTimeout(() => {
      isLate = true
      end()
    }, limit)
    signal.addEventListener("abort", end, { once: true })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-10_000)
      })
    }
    child.once("error", reject)
    child.once("close", (code) => {
      clearTimeout(timer)
      clearTimeout(late)
      signal.removeEventListener("abort", end)
      resolve({ said, code, isLate })
    })
  })

const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? ""

/** Runs them. Throws once the signal is aborted. */
export const runTests = async (options: RunOptions): Promise<RunOutcome> => {
  const { folder, limit, signal } = options
  const report = join(folder, "node_modules/.mutant-report.json")
  rmSync(report, { force: true })
  const { said, code, isLate } = await vitest(options, report)
  signal.throwIfAborted()
  const results = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as Report).testResults : []
  const failed = results.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName }) => `${relative(folder, name)} > ${fullName}`),
  )
  if (failed.length > 0) return { _tag: "Failed", tests: failed }
  if (isLate) return { _tag: "Broken", why: `it did not end within ${limit / 60_000} minutes` }
  if (code === 0) return { _tag: "Passed" }
  const uncollected = results.find(({ status }) => status === "failed")
  if (uncollected === undefined) return { _tag: "Broken", why: `vitest ended with ${code}:\n${said.trim()}` }
  const { name, message } = uncollected
  return { _tag: "Broken", why: `${relative(folder, name)} does not run: ${firstLine(message)}` }
}
