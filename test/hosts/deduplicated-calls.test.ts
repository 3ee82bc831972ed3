/** That nothing was run, since an earlier call with the same key gave the result, is shown. */
import { expect, it } from "vitest"
import { AcpToolHost } from "../../src/hosts/acp/index.ts"
import { BlockList, renderBlock } from "../../src/hosts/terminal/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

const note = "Nothing was run: an earlier call with the same key gave this result."
const paying = () =>
  executorOf({
    pay: toolOf(
      "pay",
      pipeline().andThen(() => Step.Output("paid")),
      { idempotencyKey: () => "order 1" },
    ),
  })

it("in a terminal", async () => {
  const executor = paying()
  const blocks = new BlockList()
  const drawn: Array<string> = []
  for (const callId of ["a", "b"])
    await executor.run({ callId, name: "pay" }, (event) => {
      const block = blocks.apply(event, 0)
      if (block?.status === "complete")
        drawn.push(renderBlock(block, { width: 80, now: 0, colors: false }).join("\n"))
    })
  expect(drawn).toEqual([expect.not.stringContaining(note), expect.stringContaining(`paid\n  ${note}`)])
})

it("in an editor that speaks ACP", async () => {
  const executor = paying()
  const updates: Array<unknown> = []
  const client = {
    request: async () => ({}),
    notify: async (_method: string, { update }: { readonly update: unknown }) => void updates.push(update),
  }
  const host = new AcpToolHost({ executor, client, sessionId: "s", capabilities: {} } as never)
  for (const callId of ["a", "b"]) await host.run({ callId, name: "pay" })
  const [first, second] = updates
    .map((update) => JSON.stringify(update))
    .filter((update) => update.includes('"completed"'))
  expect(first).not.toContain(note)
  expect(second).toContain(note)
})
