/** A process that runs a command, passes on what that prints, and goes on: until it is ended, or (`end`) the run is. */
import { makeLocalProcesses } from "../../src/io/processes.ts"

const [command = "", mode] = process.argv.slice(2)
if (mode !== "end") setInterval(() => {}, 60_000)
await makeLocalProcesses({ spawnHelper: mode === "helped" ? "always" : "never" }).run({
  command: "bash",
  args: ["-c", command],
  cwd: process.cwd(),
  onOutput: (_, bytes) => void process.stdout.write(bytes),
})
