/** Foreign code that hands the standard input, which stays open and silent, to programs that read it to its end. */
import { execFileSync, execSync, type StdioOptions, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { runIsolated } from "../../../../src/custom-tools/loading/isolation.ts"

const { stdin } = process
const inherited: ReadonlyArray<StdioOptions> = [
  "inherit",
  ["inherit", "pipe", "pipe"],
  [0, "pipe", "pipe"],
  [stdin, "pipe", "pipe"],
]

const start = async () => {
  for (const stdio of inherited) {
    await once(spawn("cat", { stdio }), "exit")
    spawnSync("cat", { stdio })
    execSync("cat", { stdio })
    execFileSync("cat", [], { stdio })
  }
}

await runIsolated("/tool.ts", start)
console.log("nothing was read")
process.exit()
