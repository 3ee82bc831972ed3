/** A session with a tool that throws where nobody can catch it. Run by the tests. */
import { Session } from "../../../src/hosts/terminal/session.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../../src/index.ts"

const crash = defineTool({
  name: "crash",
  description: "Throws from a timer.",
  parameters: {},
  compose: () =>
    pipeline().andThen(() => {
      setTimeout(() => {
        throw new Error("thrown from a timer")
      })
      return Step.Output("soon")
    }),
})

const registry = new ToolRegistry([crash])
await new Session({ executor: new ToolExecutor(registry), greeting: "ready" }).run()
