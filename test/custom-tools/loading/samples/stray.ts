/** Foreign code that fails where nobody catches it; then the host ends itself. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { runIsolated } from "../../../../src/custom-tools/loading/isolation.ts"
import { ModuleLoader } from "../../../../src/custom-tools/loading/module-loader.ts"

runIsolated("/a.ts", () => {
  setImmediate(() => process.exit(9))
})
await nextTurn()
console.log("exit in a timer")

void runIsolated("/b.ts", async () => {
  await nextTurn()
  process.exit(9)
})
await nextTurn()
await nextTurn()
console.log("exit in a promise")

const folder = await mkdtemp(join(await realpath(tmpdir()), "stepline-test-"))
const module = `
  Promise.reject(new Error("rejection"))
  setImmediate(() => { throw new Error("throw in a timer") })
  for (let turn = 0; turn < 3; turn++) await new Promise((go) => setImmediate(go))`
await writeFile(join(folder, "tool.mjs"), module)
const strays: Array<string> = []
const onStrayError = (_owner: string, error: unknown) => strays.push((error as Error).message)
await new ModuleLoader({ onStrayError }).load(join(folder, "tool.mjs"))
await rm(folder, { recursive: true })
console.log(`load: ${strays.join(", ")}`)
process.exit(4)
