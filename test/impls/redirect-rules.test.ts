// @module-tag waits
/** Rules hold where a fetch is led to, too: by redirects, and by pages that go elsewhere. */
import { Type } from "@sinclair/typebox"
import { afterAll, describe, expect, it } from "vitest"
import { FetchUrl } from "../../src/handlers/fetch-url.ts"
import { makeFetchHtmlTool } from "../../src/impls/fetch-html.ts"
import { makeFetchUrlTool } from "../../src/impls/fetch-url.ts"
import {
  defineTool,
  type HandlerContext,
  pipeline,
  type Tool,
  ToolFilters,
  type ToolResult,
} from "../../src/index.ts"
import { Browser } from "../../src/io/browser.ts"
import { localHttp } from "../../src/io/http.ts"
import { contextOf, runIn } from "../handlers/run-handler.ts"
import { forPages } from "../servers/chromium.ts"
import { redirectsTo, sends, useHttpServer } from "../servers/http-server.ts"
import { describeWith } from "../support/needs.ts"
import { virtualTime } from "../support/virtual-time.ts"

const server = useHttpServer()
/** Waits for what pages do as long as it takes. */
const options = { allowPrivate: true, settleTimeout: 60_000, loadTimeout: 60_000 }
/** For what the browser itself takes part in: redirects, downloads and what it fetches ahead. */
const browser = new Browser(options)
/** For what is a matter of the page alone. */
const pageBrowser = new Browser({ ...options, ...forPages })
afterAll(() => Promise.all([browser.close(), pageBrowser.close()]))

const html = { "content-type": "text/html" }

/** A rule for what starts like this address. */
const below = (path: string, host?: string) => `^${server.url(path, host).replaceAll(".", "\\.")}`

interface Rules {
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
}

/** Calls of a tool under rules; a person approves what is asked, and is counted. */
const callsOf = async (tool: Tool, rules: Rules) => {
  const filters = ToolFilters.compile({
    [tool.name]: { allow: [...(rules.allow ?? [])], deny: [...(rules.deny ?? [])] },
  })
  const { executor } = await virtualTime({ [tool.name]: tool }, { cwd: "/", filters })
  let asked = 0
  const call = (url: string, remember = false): Promise<ToolResult> =>
    executor.run({ name: tool.name, params: { url } }, (event) => {
      if (event._tag !== "AwaitingApproval") return
      asked += 1
      event.approve({ remember })
    })
  return { call, asked: () => asked }
}

/** What was asked of the server. Browsers want an icon, too. */
const paths = () =>
  server.requests.map(({ url }) => url).filter((url) => url !== "/favicon.ico" && url !== "/held")

/** A script that keeps its page from falling silent, however slow this machine is, until `done` has put the last text there. */
const waiting = `
  const waiting = new AbortController()
  fetch(new URL("/held", "ORIGIN"), { signal: waiting.signal }).catch(() => {})
  const done = () => { document.body.append("at last"); waiting.abort() }
`

const notPassed = (name: string, from: string, to: string) => ({
  status: "error",
  content: `${from} redirects to ${to}, which the rules for ${name} do not let pass without a question. Call ${name} with that URL.`,
})

const denied = (name: string, from: string, to: string) => ({
  status: "error",
  content: `${from} redirects to ${to}, which a rule for ${name} denies. Go on without it.`,
})

const holdsRedirects = (tool: Tool) => {
  const { name } = tool

  it("is not followed past what allow rules pass, and the model is told to ask for it", async () => {
    server.route("/docs/out", redirectsTo(server.url("/take?secret", "localhost")))
    const { call, asked } = await callsOf(tool, { allow: [below("/docs/")] })
    const [from, to] = [server.url("/docs/out"), server.url("/take?secret", "localhost")]
    expect(await call(from)).toMatchObject(notPassed(name, from, to))
    expect(paths()).toEqual(["/docs/out"])
    server.route("/take", sends("<p>there</p>", html))
    expect(asked()).toBe(0)
    expect(await call(to)).toMatchObject({ status: "complete", content: expect.stringContaining("there") })
    expect(asked()).toBe(1)
  })

  it("is followed within what allow rules pass, and held at the first hop that they do not", async () => {
    server.route("/docs/a", redirectsTo("/docs/b"))
    server.route("/docs/b", redirectsTo("/docs/c"))
    server.route("/docs/c", sends("<p>there</p>", html))
    server.route("/docs/d", redirectsTo("/docs/e"))
    server.route("/docs/e", redirectsTo("/docs/../out"))
    const { call, asked } = await callsOf(tool, { allow: [below("/docs/")] })
    expect(await call(server.url("/docs/a"))).toMatchObject({
      status: "complete",
      content: expect.stringContaining("there"),
    })
    expect(await call(server.url("/docs/d"))).toMatchObject(
      notPassed(name, server.url("/docs/e"), server.url("/out")),
    )
    expect(asked()).toBe(0)
    expect(paths()).not.toContain("/out")
  })

  it("is not followed to what a deny rule matches, whoever approved the call", async () => {
    server.route("/from", redirectsTo(server.url("/to#part", "localhost")))
    const { call, asked } = await callsOf(tool, { deny: [`${below("/to", "localhost")}$`] })
    expect(await call(server.url("/from"))).toMatchObject(
      denied(name, server.url("/from"), server.url("/to", "localhost")),
    )
    expect(asked()).toBe(1)
    expect(paths()).toEqual(["/from"])
  })

  it("is followed where a person approved the call; a rule that is remembered of it allows its URL alone", async () => {
    server.route("/from", redirectsTo(server.url("/to", "localhost")))
    server.route("/to", sends("<p>there</p>", html))
    const { call, asked } = await callsOf(tool, {})
    const there = { status: "complete", content: expect.stringContaining("there") }
    expect(await call(server.url("/from"), true)).toMatchObject(there)
    const [from, to] = [server.url("/from"), server.url("/to", "localhost")]
    expect(await call(from)).toMatchObject(notPassed(name, from, to))
    expect(await call(to, true)).toMatchObject(there)
    expect(await call(to)).toMatchObject(there)
    expect(asked()).toBe(2)
  })

  it("to where it was already is followed, whatever the rule's pattern says of hashes", async () => {
    let visits = 0
    server.route("/page", (request, response) => {
      visits += 1
      if (visits === 1) redirectsTo("/page#again")(request, response)
      else sends("<p>there</p>", html)(request, response)
    })
    const { call } = await callsOf(tool, { allow: [`${below("/page")}$`] })
    expect(await call(server.url("/page"))).toMatchObject({ status: "complete" })
    expect(paths()).toEqual(["/page", "/page"])
  })
}

describe("a redirect of fetch_url", () => {
  holdsRedirects(makeFetchUrlTool({ allowPrivate: true }))

  it("is held to the rules of a tool of one's own, which knows the URL by another name", async () => {
    server.route("/from", redirectsTo("/to"))
    const http = localHttp({ allowPrivate: true })
    const load = defineTool({
      name: "load",
      description: "Loads a file.",
      parameters: Type.Object({ source: Type.String() }),
      primaryParam: "source",
      compose: ({ source }) =>
        pipeline()
          .awaitApproval()
          .andThen(FetchUrl({ url: source.trim() }, http)),
    })
    const filters = ToolFilters.compile({ load: { allow: [`${below("/from")}\\s*$`] } })
    const { executor } = await virtualTime({ load }, { filters })
    const result = await executor.run({ name: "load", params: { source: `${server.url("/from")} ` } })
    expect(result).toMatchObject(notPassed("load", server.url("/from"), server.url("/to")))
    expect(paths()).toEqual(["/from"])
  })

  it("is followed in a context that somebody made without rules", async () => {
    server.route("/from", redirectsTo("/to"))
    server.route("/to", sends("there"))
    const { verdictOn: _, ...context } = contextOf({ cwd: "/" })
    const fetching = FetchUrl({ url: server.url("/from") }, localHttp({ allowPrivate: true }))
    expect(await runIn(context as HandlerContext, fetching)).toMatchObject({
      _tag: "Output",
      output: { details: { url: server.url("/to"), status: 200 } },
    })
  })

  it("is not followed in a copy of an executor's context, which has none of what the context tells", async () => {
    server.route("/from", redirectsTo("/to"))
    const tool = defineTool({
      name: "load",
      description: "Loads a page.",
      parameters: Type.Object({ url: Type.String() }),
      compose: ({ url }) =>
        pipeline().andThen((context) =>
          FetchUrl({ url }, localHttp({ allowPrivate: true })).call({ ...context }),
        ),
    })
    const { call } = await callsOf(tool, { deny: [below("/to")] })
    expect(await call(server.url("/from"))).toMatchObject({
      status: "error",
      content: expect.stringContaining("has lost its rules: pass on the context itself"),
    })
    expect(paths()).toEqual(["/from"])
  })

  it("is that of a tool whose calls name no URL where its rules say nothing of one", async () => {
    server.route("/from", redirectsTo("/to"))
    server.route("/to", sends("there"))
    const http = localHttp({ allowPrivate: true })
    const load = defineTool({
      name: "load",
      description: "Loads a page.",
      parameters: Type.Object({ page: Type.String() }),
      primaryParam: "page",
      compose: ({ page }) =>
        pipeline()
          .awaitApproval()
          .andThen(FetchUrl({ url: server.url(`/${page}`) }, http)),
    })
    const filters = ToolFilters.compile({ load: { allow: ["^from$"] } })
    const { executor } = await virtualTime({ load }, { filters })
    expect(await executor.run({ name: "load", params: { page: "from" } })).toMatchObject({
      status: "complete",
      content: expect.stringContaining("there"),
    })
  })
})

describeWith("chromium")("a page of fetch_html", () => {
  const tool = makeFetchHtmlTool(browser)
  const pageTool = makeFetchHtmlTool(pageBrowser)

  describe("that redirects", () => holdsRedirects(tool))

  const patiently = (script = "") => `<script>${waiting.replace("ORIGIN", server.url("/"))}${script}</script>`
  const holdUnanswered = () => server.route("/held", () => {})

  /** A page whose script goes to `/out`, and rules that pass it and what is below it. */
  const goingOut = (script: string, by = pageTool) => {
    holdUnanswered()
    server.route("/docs/page", sends(`<p>here</p>${patiently(script)}`, html))
    server.route("/out", sends("<p>out</p>", html))
    return callsOf(by, { allow: [below("/docs/")] })
  }
  const heldAtOut = () => notPassed("fetch_html", server.url("/docs/page"), server.url("/out"))

  it.each([
    ["by its address", "location.href = '/out'"],
    ["in place of itself", "location.replace('/out')"],
    ["once it is there", "addEventListener('load', () => { location = '/out' })"],
    ["by a link", "const a = document.createElement('a'); a.href = '/out'; a.click()"],
    [
      "by a form",
      "const form = document.createElement('form'); form.method = 'post'; form.action = '/out'; document.body.append(form); form.submit()",
    ],
    ["in its own window", "open('/out', '_self')"],
    [
      "from a frame",
      "const frame = document.createElement('iframe'); frame.srcdoc = '<script>top.location = \"/out\"</' + 'script>'; document.body.append(frame)",
    ],
    [
      "by a tag",
      "document.head.insertAdjacentHTML('beforeend', '<meta http-equiv=refresh content=\"0;url=/out\">')",
    ],
    [
      "from a page that it made",
      "const script = 'fetch(origin + `/held`); location = origin + `/out`'; location = URL.createObjectURL(new Blob(['<script>' + script + '</' + 'script>'], { type: 'text/html' }))",
    ],
  ])("that goes elsewhere %s is held to the rules", async (_, script) => {
    const { call } = await goingOut(script)
    expect(await call(server.url("/docs/page"))).toMatchObject(heldAtOut())
    expect(paths()).not.toContain("/out")
  })

  it.each([
    ["its text", "<meta http-equiv=refresh content='0;url=/out'>", {}],
    ["its server", "<p>here</p>", { refresh: "0;url=/out" }],
  ])("that goes elsewhere as %s says is held to the rules", async (_, text, headers) => {
    holdUnanswered()
    server.route("/docs/page", (request, response) =>
      sends(`${patiently()}${text}`, { ...html, ...headers })(request, response),
    )
    const { call } = await callsOf(pageTool, { allow: [below("/docs/")] })
    expect(await call(server.url("/docs/page"))).toMatchObject(heldAtOut())
    expect(paths()).not.toContain("/out")
  })

  it("that redirects to a user name in front of a host is held to the rules for that host", async () => {
    const to = server.url("/to", "localhost")
    server.route("/from", redirectsTo(to.replace("//", "//me:word@")))
    const { call } = await callsOf(tool, { deny: [below("/to", "localhost")] })
    expect(await call(server.url("/from"))).toMatchObject(denied("fetch_html", server.url("/from"), to))
    expect(paths()).toEqual(["/from"])
  })

  it("that downloads something is held to the rules, also once its tab is closed", async () => {
    const { call } = await goingOut(
      "const a = document.createElement('a'); a.href = '/out'; a.download = ''; a.click()",
      tool,
    )
    expect(await call(server.url("/docs/page"))).toMatchObject(heldAtOut())
    server.route("/docs/next", sends("<p>next</p>", html))
    expect(await call(server.url("/docs/next"))).toMatchObject({ status: "complete" })
    expect(paths()).not.toContain("/out")
  })

  it("that goes to what it had fetched ahead is held to the rules", async () => {
    let release = () => {}
    const fetched = new Promise<void>((resolve) => {
      release = resolve
    })
    const script = `
      const rules = document.createElement("script")
      rules.type = "speculationrules"
      rules.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: ["/out"], eagerness: "immediate" }] })
      document.head.append(rules)
      const known = HTMLScriptElement.supports("speculationrules") ? fetch("/ahead") : Promise.resolve()
      known.then(() => { location = "/out" })`
    const { call } = await goingOut(script, tool)
    server.route("/out", (request, response) => {
      response.on("finish", release)
      sends("<p>out</p>", { ...html, "cache-control": "max-age=100" })(request, response)
    })
    server.route("/ahead", (_request, response) => {
      // A Chromium that fetches nothing ahead goes there all the same.
      const timer = setTimeout(release, 5_000)
      void fetched.then(() => {
        clearTimeout(timer)
        response.end()
      })
    })
    expect(await call(server.url("/docs/page"))).toMatchObject(heldAtOut())
    const visits = server.requests.filter(({ url }) => url === "/out")
    expect(visits.filter(({ headers }) => headers["sec-purpose"] === undefined)).toEqual([])
  })

  it.each([
    ["goes on", "if (location.search) done(); else location.search = '?next'"],
    [
      "loads itself again",
      "if (sessionStorage.again) done(); else { sessionStorage.again = 1; location.reload() }",
    ],
    ["only shows another address", "history.pushState({}, '', '/out'); done()"],
    [
      "loads a frame",
      "const frame = document.createElement('iframe'); frame.src = '/out'; frame.onload = done; document.body.append(frame)",
    ],
    [
      "loads a frame of another site, which redirects",
      "const frame = document.createElement('iframe'); frame.src = location.origin.replace('127.0.0.1', 'localhost') + '/hop'; frame.onload = done; document.body.append(frame)",
    ],
    ["asks for more", "fetch('/out').then((answer) => answer.text()).then(done)"],
  ])("that %s is read", async (_, script) => {
    const { call, asked } = await goingOut(script)
    server.route("/hop", redirectsTo("/out"))
    const { status, content } = await call(server.url("/docs/page"))
    expect([status, content]).toEqual(["complete", expect.stringContaining("at last")])
    expect(asked()).toBe(0)
  })

  it("that goes elsewhere is followed where a person approved it", async () => {
    await goingOut("location = '/out'")
    const { call } = await callsOf(pageTool, {})
    expect(await call(server.url("/docs/page"))).toMatchObject({
      status: "complete",
      content: expect.stringContaining("\n\nout"),
    })
  })
})
