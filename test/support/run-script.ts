/** Runs a TypeScript file of this checkout in a Node of its own, on the sources. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

export const root = fileURLToPath(new URL("../..", import.meta.url))

export const runScript = (path: string): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  promisify(execFile)(process.execPath, ["--import", "tsx", "-C", "@stepline/source", path], { cwd: root })
