import { expect, it } from "vitest"
import { AnswerOrder, type AnswersAmong } from "../../src/code/answer-order.ts"
import { deferred } from "../support/deferred.ts"

it("answers come in the order of the earlier process, also those that one of them lets pass", async () => {
  const among: AnswersAmong = []
  const earlier = new AnswerOrder(among)
  const given = [deferred<string>(), deferred<string>(), deferred<string>()]
  const first = given.map(({ promise }) => earlier.inTurn(promise))
  for (const [place, request] of [2, 0, 1].entries()) {
    given[request]!.resolve(`${request}`)
    expect(await first[request]).toBe(`${request}`)
    expect(among.length).toBe(Math.min(place + 1, 2))
  }
  const later = new AnswerOrder([...among])
  const order: Array<string> = []
  const last = deferred<string>()
  const again = ["0", "1", last.promise].map(async (answer) => order.push(await later.inTurn(answer)))
  last.resolve("2")
  await Promise.all(again)
  expect(order).toEqual(["2", "0", "1"])
})
