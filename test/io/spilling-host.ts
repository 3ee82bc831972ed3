/** A process that keeps a long output, names its file and how much it holds, and ends in the way that it is told. */
import { statSync } from "node:fs"
import { CommandOutput } from "../../src/io/command-output.ts"

const output = new CommandOutput()
await output.write("stdout", Buffer.alloc(100_000, "x"))
const { truncated } = await output.end()
process.stdout.write(`${truncated?.path} ${statSync(truncated?.path ?? "").size}\n`)
if (process.argv[2] === "kill") process.kill(process.pid, "SIGKILL")
