// @module-tag waits
import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { serveWeb, type Web } from "../../../src/hosts/web/index.ts"
import { ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { served } from "./pages.ts"

interface Answered {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

/** Sends just these headers. */
const send = (
  { port }: Web,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST"
    const sent = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      headers: { Host: `127.0.0.1:${port}`, ...headers },
    })
    sent.on("error", reject)
    sent.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part) => (text += part))
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      )
      // A stream has no end.
      if (response.headers["content-type"]?.startsWith("text/event-stream")) {
        response.once("data", () => {
          resolve({ status: response.statusCode, headers: response.headers, body: text })
          response.destroy()
        })
      }
    })
    sent.end(body)
  })

const json = { "Content-Type": "application/json" }

const own = ({ port }: Web) => ({ Origin: `http://127.0.0.1:${port}` })

const tokenOf = ({ url }: Web): string => new URL(url).hash.slice(1)

/** The cookie of a page that has the token, and where it asks. */
const sessionOf = async (web: Web): Promise<{ readonly Cookie: string; readonly path: string }> => {
  const sent = JSON.stringify({ token: tokenOf(web) })
  const { headers, body } = await send(web, "/api/session", { ...json, ...own(web) }, sent)
  return { Cookie: String(headers["set-cookie"]).split(";", 1)[0]!, path: JSON.parse(body).path }
}

describe("the page's server", () => {
  it("tells its address with a token behind #, and gives a cookie for it that no script and no other site has", async () => {
    const { web } = await served([])
    expect(web.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{32}$/)
    const body = JSON.stringify({ token: tokenOf(web) })
    const { status, headers } = await send(web, "/api/session", { ...json, ...own(web) }, body)
    expect(status).toBe(200)
    expect(String(headers["set-cookie"])).toMatch(
      /^stepline-\d+=[\w-]{32}; Path=\/api\/[\w-]{22}; HttpOnly; SameSite=Strict$/,
    )
    expect(String(headers["set-cookie"])).not.toContain(tokenOf(web))
  })

  it("answers nothing to who has no cookie, or a wrong one", async () => {
    const { web } = await served([])
    const { path: base } = await sessionOf(web)
    const given: ReadonlyArray<Record<string, string>> = [
      {},
      { Cookie: `stepline-${web.port}=x` },
      { Cookie: `stepline-${web.port}=${tokenOf(web)}` },
    ]
    for (const cookie of given) {
      for (const path of ["/events", "/call?key=1", "/question?id=1.1", "/tools"])
        expect((await send(web, base + path, cookie)).status).toBe(401)
      for (const path of ["/answer", "/resolve", "/task", "/call"])
        expect((await send(web, base + path, { ...json, ...own(web), ...cookie }, "{}")).status).toBe(401)
    }
    const wrong = await send(web, "/api/session", { ...json, ...own(web) }, '{"token":"x"}')
    expect([wrong.status, wrong.headers["set-cookie"]]).toEqual([403, undefined])
  })

  it("refuses pages of other sites, and names that somebody gave this machine, also with the cookie", async () => {
    const { web } = await served([])
    const { Cookie, path } = await sessionOf(web)
    expect((await send(web, `${path}/events`, { Cookie })).status).toBe(200)
    for (const headers of [
      { Host: "evil.example" },
      { Host: `evil.example:${web.port}` },
      { Host: "127.0.0.1:1" },
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { Origin: `http://localhost:${web.port}` },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
    ] as Array<Record<string, string>>) {
      expect((await send(web, `${path}/events`, { Cookie, ...headers })).status).toBe(403)
      expect((await send(web, "/", headers)).status).toBe(403)
      expect(
        (await send(web, `${path}/answer`, { ...json, Cookie, ...own(web), ...headers }, "{}")).status,
      ).toBe(403)
    }
    expect((await send(web, `${path}/answer`, { ...json, Cookie }, "{}")).status).toBe(403)
  })

  it("is not known by the cookie alone, which other servers of this machine may be sent", async () => {
    const { web } = await served([])
    const { Cookie, path } = await sessionOf(web)
    expect((await send(web, `${path}/events`, { Cookie })).status).toBe(200)
    expect((await send(web, "/api/events", { Cookie })).status).toBe(404)
    const sent = { ...json, ...own(web), Cookie }
    expect((await send(web, "/api/answer", sent, '{"id":"1.1","verdict":"approve"}')).status).toBe(404)
  })

  it("sends no page that may run scripts of others, or stand within theirs", async () => {
    const { web } = await served([], {}, { title: "<script>alert(1)</script>" })
    for (const path of ["/", "/page.js", "/page.css", "/nothing"]) {
      const { headers } = await send(web, path)
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(headers["x-content-type-options"]).toBe("nosniff")
      expect(headers["access-control-allow-origin"]).toBeUndefined()
    }
    const { body } = await send(web, "/")
    expect(body).toContain("<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>")
    expect(body).not.toMatch(/<script>|<style|\son\w+=|style=/)
  })

  it("reads no more than it must, and says what it cannot read", async () => {
    const { web } = await served([])
    const { Cookie, path } = await sessionOf(web)
    const headers = { ...json, ...own(web), Cookie }
    const answers: Array<readonly [body: string, status: number, message: string]> = [
      ["{", 400, "That is no JSON."],
      ["[]", 400, "Send an object."],
      ["{}", 400, "Expected `verdict` to be `approve`, `deny` or `respond`."],
      ['{"verdict":"deny"}', 400, "Expected `ids` to be a list of texts that is not empty."],
      [" ".repeat(4 * 1024 * 1024 + 1), 413, "Send at most 4194304 bytes."],
    ]
    for (const [body, status, message] of answers) {
      const answered = await send(web, `${path}/answer`, headers, body)
      expect([answered.status, answered.body]).toEqual([status, JSON.stringify({ message })])
    }
    const plain = await send(web, `${path}/answer`, { ...headers, "Content-Type": "text/plain" }, "{}")
    expect(plain.status).toBe(415)
    expect((await send(web, `${path}/nothing`, headers, "{}")).status).toBe(404)
  })

  it("calls no tools unless it was given them", async () => {
    const { web } = await served([])
    const { Cookie, path } = await sessionOf(web)
    const headers = { ...json, ...own(web), Cookie }
    expect((await send(web, `${path}/call`, headers, '{"name":"shell"}')).status).toBe(403)
    expect((await send(web, `${path}/tools`, headers)).status).toBe(404)
  })

  it("rejects where its port is taken", async () => {
    const { web } = await served([])
    await using executor = new ToolExecutor(new ToolRegistry())
    await expect(serveWeb(executor, { port: web.port })).rejects.toThrow("EADDRINUSE")
  })
})
