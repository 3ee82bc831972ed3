/** A session with a tool whose gate keeps the process busy until a key was typed. Run by the tests. */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Session } from "../../../src/hosts/terminal/session.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../../src/index.ts"

const folder = process.argv[2]!

const busy = defineTool({
  name: "busy",
  description: "Takes long to be drawn.",
  parameters: {},
  compose: () =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done")),
  renderCall: () => {
    writeFileSync(join(folder, "drawing"), "")
    while (!existsSync(join(folder, "typed")))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    return "busy"
  },
})

const registry = new ToolRegistry([busy])
await new Session({ executor: new ToolExecutor(registry), greeting: "ready" }).run()
