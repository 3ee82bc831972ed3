/** A session with tools that show what they would do. Run by the tests. */
import { Type } from "@sinclair/typebox"
import { Session } from "../../../src/hosts/terminal/session.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../../src/index.ts"

let tries = 0

/** The first application fails. */
const rename = defineTool({
  name: "rename",
  description: "Renames.",
  parameters: Type.Object({ from: Type.String(), to: Type.String() }),
  compose: ({ from, to }) =>
    pipeline()
      .andThen(() => Step.Output(`-${from}\n+${to}`))
      .awaitResolve({ label: `Rename ${from}` })
      .andThen(() => {
        tries += 1
        return tries === 1 ? Step.Error(`${to} is taken`) : Step.Output(`${from} is ${to} now`)
      }),
})

const publish = defineTool({
  name: "publish",
  description: "Publishes.",
  parameters: Type.Object({ what: Type.String() }),
  compose: ({ what }) =>
    pipeline()
      .andThen(() => Step.Output(`${what}, as it would be`))
      .awaitResolve({ label: `Publish ${what}` })
      .awaitApproval({ label: "For everybody?" })
      .andThen(() => Step.Output(`${what} is published`)),
})

const wait = defineTool({
  name: "wait",
  description: "Never ends.",
  parameters: Type.Object({}),
  compose: () => pipeline().andThen(() => new Promise<Step>(() => {})),
})

const executor = new ToolExecutor(new ToolRegistry([rename, publish, wait]))
await new Session({ executor, greeting: "ready" }).run()
