import { expect, it } from "vitest"
import { LaneOrder } from "../../../src/durable/postgres/lane-order.ts"
import type { Membership } from "../../../src/durable/postgres/membership.ts"

it("a call joins its lane after one look for others, though more calls come during each look", () => {
  let looks = 0
  const membership = { isBehind: true, onBehind: () => {} } as Membership
  const order = new LaneOrder(membership, () => {
    looks += 1
  })
  const joined: Array<string> = []
  const join = (agentId: string) =>
    order.join({ agentId, callId: agentId, lane: "shared" } as never, () => joined.push(agentId))
  join("a")
  for (const next of ["b", "c", "d"]) {
    const looked = order.looks()
    join(next)
    looked()
  }
  expect(joined).toEqual(["a", "b", "c"])
  expect(looks).toBe(4)
})
