/** A timer of the host's own throws while foreign code loads. */
import { ModuleLoader } from "../../../../src/custom-tools/loading/module-loader.ts"

setImmediate(() => {
  throw new Error("the host's timer")
})
await new ModuleLoader().call("/tool.ts", () => new Promise((go) => setTimeout(go, 60_000)))
