/** Who answers for an MCP client. */
import { describe, expect, it } from "vitest"
import { pipeline, Step } from "../../../src/index.ts"
import { toolOf } from "../../support/executor-of.ts"
import { approve, connect, revisions, textOfResult } from "./connected.ts"

const owners = new Set(["ann", "bob"])
const pay = toolOf(
  "pay",
  pipeline()
    .awaitApproval({ approvers: (by) => owners.has(by) })
    .andThen(() => Step.Output("paid")),
)
const drop = toolOf(
  "drop",
  pipeline()
    .awaitApproval({ quorum: 2 })
    .andThen(() => Step.Output("dropped")),
)

describe.each(revisions)("an MCP server of revision %s", (revision) => {
  it("answers under the name of who is asked", async () => {
    const deciders: Array<unknown> = []
    const { client, asked } = await connect([pay], {
      revision,
      answer: () => approve(),
      server: { who: () => "ann" },
      executor: { onDecision: ({ by }) => deciders.push(by?.id) },
    })
    expect(textOfResult(await client.callTool({ name: "pay", arguments: {} }))).toBe("paid")
    expect(asked).toEqual([expect.stringContaining("Approvals: only some people may answer")])
    expect(deciders).toEqual(["ann", "ann"])
  })

  it("asks again with the reason where an answer does not count, and then ends the call", async () => {
    const { client, asked } = await connect([pay], {
      revision,
      answer: () => approve(),
      server: { who: () => "eve" },
    })
    const result = await client.callTool({ name: "pay", arguments: {} })
    expect(textOfResult(result)).toMatch(/eve may not answer ".*"\. The call was denied, and did not run\.$/)
    expect(asked).toEqual([expect.not.stringContaining("eve"), expect.stringMatching(/^eve may not answer/)])
  })

  it("ends a call about whose answerer nothing can be told", async () => {
    const who = () => {
      throw new Error("Who was it?")
    }
    const { client, executor } = await connect([pay], {
      revision,
      answer: () => approve(),
      server: { who },
    })
    const result = await client.callTool({ name: "pay", arguments: {} })
    expect(textOfResult(result)).toBe("This MCP client could not answer: Who was it?")
    expect(executor.inspect()).toEqual([])
  })

  it("lets nobody deny who may not, and says who denied", async () => {
    const deny = { action: "accept", content: { decision: "deny", reason: "Too much" } } as const
    const deniedBy = async (who: string) => {
      const deciders: Array<unknown> = []
      const onDecision = ({
        verdict,
        by,
      }: {
        readonly verdict: string
        readonly by?: { readonly id?: string }
      }) => deciders.push(`${verdict} ${by?.id}`)
      const server = { who: () => who }
      const { client, asked } = await connect([pay], {
        revision,
        answer: () => deny,
        server,
        executor: { onDecision },
      })
      const result = await client.callTool({ name: "pay", arguments: {} })
      return [textOfResult(result), asked.length, deciders]
    }
    expect(await deniedBy("ann")).toEqual(["Too much", 1, ["deny ann"]])
    expect(await deniedBy("eve")).toEqual([
      expect.stringContaining("eve may not answer"),
      2,
      ["deny undefined"],
    ])
  })

  it("waits for the others where several have to approve", async () => {
    const { client, executor } = await connect([drop], {
      revision,
      answer: () => {
        executor.watch({
          decided: ({ verdict, callId }) => {
            if (verdict === "vote") setImmediate(() => executor.approve(callId, { by: "bob" }))
          },
        })
        return approve()
      },
      server: { who: () => "ann" },
    })
    expect(textOfResult(await client.callTool({ name: "drop", arguments: {} }))).toBe("dropped")
  })
})
