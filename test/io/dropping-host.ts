/**
 * A host that starts as root and goes on as nobody: runs a command in a folder before that, where it is told to (`both`),
 * and after. Prints what they print, or why one failed, and whether a file keeps what is too much to print.
 */
import { CommandOutput } from "../../src/io/command-output.ts"
import { makeLocalProcesses, type OutputStream, type SpawnHelperUse } from "../../src/io/index.ts"

const [spawnHelper = "never", folder = "", when, command = ""] = process.argv.slice(2)
const nobody = 65_534
const processes = makeLocalProcesses({ spawnHelper: spawnHelper as SpawnHelperUse })

const run = async (): Promise<void> => {
  const options = { command: "bash", args: ["-c", command], cwd: folder, isCwdReal: true }
  const output = new CommandOutput(1000)
  const onOutput = async (stream: OutputStream, bytes: Uint8Array) => void (await output.write(stream, bytes))
  await processes.run({ ...options, onOutput }).catch((error) => console.log(String(error)))
  const { stdout, truncated } = await output.end()
  console.log(truncated === undefined ? stdout.trim() : `kept: ${truncated.path !== undefined}`)
}

if (when === "both") await run()
process.setgroups?.([])
process.setgid?.(nobody)
process.setuid?.(nobody)
await run()
