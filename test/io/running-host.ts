/** A process that runs a command, passes on what that prints, and goes on until it is ended, or until the run is. */
import { localProcesses } from "../../src/io/processes.ts"

const [command = "", mode] = process.argv.slice(2)
if (mode === "stay") setInterval(() => {}, 60_000)
await localProcesses.run({
  command: "bash",
  args: ["-c", command],
  cwd: process.cwd(),
  onOutput: (_, bytes) => void process.stdout.write(bytes),
})
