// @module-tag waits
import { describe, expect, it } from "vitest"
import { headerMismatch } from "../../../src/hosts/mcp/param-headers.ts"
import { pipeline, Step } from "../../../src/index.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"
import { rawClients } from "./raw-client.ts"

const schema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    where: { type: "object", properties: { zone: { type: "integer", "x-mcp-header": "Zone" } } },
    text: { type: "string" },
  },
}

const mismatch = (params: unknown, headers: Record<string, string>) =>
  headerMismatch(schema, params, new Headers(headers))

const encoded = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`

describe("headers that repeat parameters", () => {
  it.each<[string, unknown, Record<string, string>]>([
    ["the same text", { region: "eu" }, { "Mcp-Param-Region": "eu" }],
    ["the same text, encoded", { region: "Zürich" }, { "mcp-param-region": encoded("Zürich") }],
    ["the same number", { where: { zone: 42 } }, { "Mcp-Param-Zone": "42.0" }],
    ["nothing, where nothing is given", { text: "a", region: null }, { "Mcp-Param-Region": "eu" }],
    ["what looks encoded and is not", { region: "=?base64?" }, { "Mcp-Param-Region": "=?base64?" }],
  ])("say %s", (_what, params, headers) => {
    expect(mismatch(params, headers)).toBeUndefined()
  })

  it.each<[string, unknown, Record<string, string>, string]>([
    ["are missing", { region: "eu" }, {}, 'region="eu"'],
    ["say another text", { region: "eu" }, { "Mcp-Param-Region": "us" }, 'region="eu"'],
    ["say another number", { where: { zone: 4 } }, { "Mcp-Param-Zone": "5" }, "where.zone=4"],
    [
      "are encoded badly",
      { region: "Hello" },
      { "Mcp-Param-Region": "=?base64?SGVsbG8?=" },
      'region="Hello"',
    ],
    ["are no text", { region: "é" }, { "Mcp-Param-Region": "=?base64?6Q==?=" }, 'region="é"'],
  ])("are refused where they %s", (_what, params, headers, body) => {
    expect(mismatch(params, headers)).toMatchObject({ body })
  })

  it("keep a call that they contradict from running", async () => {
    const ran: Array<unknown> = []
    const deploy = toolOf(
      "deploy",
      ({ region }) =>
        pipeline().andThen(() => {
          ran.push(region)
          return Step.Output("deployed")
        }),
      { parameters: schema },
    )
    const client = (await rawClients(executorOf({ deploy })))({})
    const call = (headers: Record<string, string>) =>
      client.request("tools/call", { name: "deploy", arguments: { region: "us" } }, headers)
    expect(await call({ "Mcp-Param-Region": "eu" })).toMatchObject({
      status: 400,
      error: { code: -32020, data: { mismatch: { header: "Mcp-Param-Region", body: 'region="us"' } } },
    })
    expect(ran).toEqual([])
    expect((await call({ "Mcp-Param-Region": "us" })).status).toBe(200)
    expect(ran).toEqual(["us"])
  })
})
