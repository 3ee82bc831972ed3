/** A promise of the host's own is rejected while foreign code loads. */
import { setImmediate as nextTurn } from "node:timers/promises"
import { ModuleLoader } from "../../../../src/custom-tools/loading/module-loader.ts"

const loading = new ModuleLoader().call("/tool.ts", () => new Promise((go) => setTimeout(go, 60_000)))
void Promise.reject(new Error("the host's promise"))
await nextTurn()
console.log("the host goes on")
if (process.argv.includes("and goes on")) process.exit()
await loading
