// @module-tag waits
/** Who answers on a page, as the server that embeds it tells of each request. */
import { expect, it } from "vitest"
import { serveWeb } from "../../../src/hosts/web/index.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { durableOf } from "../../durable/durable-of.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { toolOf } from "../../support/executor-of.ts"
import { served } from "./pages.ts"

const path = useTempFolder()
const owners = new Set(["ann", "bob"])
const gate = { approvers: (by: string) => owners.has(by), quorum: 2 }
const drop = pipeline()
  .awaitApproval(gate)
  .andThen(() => Step.Output("dropped"))

/** A page of one person each, named by a header as of a proxy. */
const sessionOf = async ({ url, port }: { readonly url: string; readonly port: number }) => {
  const origin = `http://127.0.0.1:${port}`
  const headers = { "Content-Type": "application/json", Origin: origin }
  const token = new URL(url).hash.slice(1)
  const session = await fetch(`${origin}/api/session`, {
    method: "POST",
    headers,
    body: JSON.stringify({ token }),
  })
  const cookie = session.headers.get("set-cookie")!.split(";", 1)[0]!
  const { path } = (await session.json()) as { path: string }
  const reader = (await fetch(`${origin}${path}/events`, { headers: { Cookie: cookie } })).body!.getReader()
  let told = ""
  /** Reads what pages are told until this fits, and gives what it found. */
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(told)
      if (found !== null) return found
      told += new TextDecoder().decode((await reader.read()).value)
    }
  }
  const answer = async (person: string | undefined, body: object): Promise<unknown> => {
    const who: Record<string, string> = person === undefined ? {} : { "X-Person": person }
    const response = await fetch(`${origin}${path}/answer`, {
      method: "POST",
      headers: { ...headers, Cookie: cookie, ...who },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  return { until, answer, close: () => reader.cancel() }
}

const who = ({ headers }: { readonly headers: NodeJS.Dict<string | Array<string>> }) => {
  const name = headers["x-person"]
  if (name === "nobody") throw new Error("Sign in first.")
  return typeof name === "string" ? name : undefined
}

it("answers under the name of the request, and says why an answer does not count", async () => {
  const { executor, web } = await served([toolOf("drop", drop)], {}, { who })
  const page = await sessionOf(web)
  const result = executor.run({ name: "drop", callId: "a" }, () => {})
  const [, id] = await page.until(/"id":"(\d+\.\d+)"/)
  const approve = { ids: [id], verdict: "approve" }
  const missing = 'Only some people may answer "a": say with `by` who answers.'
  expect(await page.answer(undefined, approve)).toEqual({ took: false, message: missing })
  expect(await page.answer("eve", approve)).toEqual({ took: false, message: 'eve may not answer "a".' })
  expect(await page.answer("nobody", approve)).toEqual({ message: "Sign in first." })
  expect(await page.answer("ann", approve)).toEqual({
    took: true,
    message: "Your approval counts. It has 1 of 2 approvals.",
  })
  await page.until(/"people":"1 of 2, by ann"/)
  expect(await page.answer("bob", approve)).toEqual({ took: true })
  expect(await result).toMatchObject({ content: "dropped", decidedBy: { approvedBy: ["ann", "bob"] } })
  await page.close()
})

it("answers several questions at once, and what comes later is not among them", async () => {
  const note = pipeline().awaitApproval()
  const { executor, web } = await served([toolOf("note", note), toolOf("drop", drop)], {}, { who })
  const page = await sessionOf(web)
  executor.enqueue(["a", "b", "c"].map((callId) => ({ callId, name: "note", background: true })))
  const ids: Array<string> = []
  for (const n of [1, 2, 3]) ids.push((await page.until(new RegExp(`"id":"(\\d+\\.${n})"`)))[1]!)
  executor.enqueue([{ callId: "d", name: "note", background: true }])
  executor.deny("c")
  expect(await page.answer("ann", { ids, verdict: "approve" })).toEqual({
    took: true,
    message: "2 of 3 answers took effect. This was answered elsewhere, or its call has ended.",
  })
  const task = await executor.tasks.wait("b")
  expect(task?.decidedBy).toEqual({ kind: "user", id: "ann" })
  expect(executor.inspectCall("d")?.state).toBe("waiting")
  expect(await page.answer("ann", { ids, verdict: "approve", params: {} })).toEqual({
    message: "Several questions are approved or denied as they are.",
  })
  await page.close()
})

it("answers the calls of a store under a name", async () => {
  const durable = await durableOf(path("calls.db"), { drop })
  await durable.enqueue([{ callId: "a", name: "drop", params: {} }])
  await expect.poll(async () => (await durable.inbox()).length).toBe(1)
  await using web = await serveWeb(durable, { who })
  const page = await sessionOf(web)
  const [, id] = await page.until(/"id":"([\d.]+approval[\d.]+)"/)
  const approve = { ids: [id], verdict: "approve" }
  expect(await page.answer("eve", approve)).toEqual({ took: false, message: 'eve may not answer "a".' })
  expect(await page.answer("ann", approve)).toMatchObject({ took: true })
  await page.until(/"people":"1 of 2, by ann"/)
  expect(await page.answer("bob", approve)).toEqual({ took: true })
  await expect.poll(async () => (await durable.result("a"))?._tag).toBe("Completed")
  await page.close()
})
