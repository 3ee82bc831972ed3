/** Tools that show what they would do. */
import { Type } from "@sinclair/typebox"
import { defineTool, pipeline, Step, type Tool } from "../../../src/index.ts"

/** New ones each time: the first application of `rename` fails. */
export const previewTools = (): Array<Tool> => {
  let tries = 0

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
  return [rename, publish, wait]
}
