/** Runtimes other than Node, where they are installed: an environment variable leads to each, or PATH. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

interface Runtime {
  readonly name: string
  readonly program: string
  /** What stands before the script. */
  readonly args: ReadonlyArray<string>
  /** What the end of a run says where it is not installed, also in CI: not every machine can have it. */
  readonly notTried?: string
}

const find = (name: string): string | undefined =>
  process.env.PATH?.split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })

const runtime = (name: string, program: string, variable: string, args: ReadonlyArray<string>): Runtime => {
  const found = process.env[variable] ?? find(program)
  if (found !== undefined) return { name, program: found, args }
  const notTried = `not tried: ${name} (npm install --no-save ${program}, or ${variable}=PATH)`
  return { name, program, args, notTried }
}

export const runtimes: ReadonlyArray<Runtime> = [
  { name: "Node", program: process.execPath, args: [] },
  runtime("Bun", "bun", "TEST_BUN", []),
  runtime("Deno", "deno", "TEST_DENO", ["run", "--allow-all", "--no-lock", "--quiet"]),
]
