// @module-tag waits
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { type EventEmitter, once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import type { Locator } from "playwright-core"
import { expect, it, onTestFinished } from "vitest"
import { nodeListener } from "../../../src/hosts/http/node-listener.ts"
import { ChangeLog } from "../../../src/hosts/web/server/change-log.ts"
import { eventStream } from "../../../src/hosts/web/server/event-stream.ts"
import type { CallRow } from "../../../src/hosts/web/state/page-state.ts"
import { ToolRegistry } from "../../../src/index.ts"
import { deferred } from "../../support/deferred.ts"
import { describeWith } from "../../support/needs.ts"
import { openCall, panel } from "./calls-page.ts"
import { card } from "./inbox-page.ts"
import { served, usePages } from "./pages.ts"
import { change, note } from "./tools.ts"

const row = (key: number, title = "t"): CallRow => ({
  key,
  callId: `c${key}`,
  agentId: "main",
  lane: "main",
  name: "shell",
  title,
  background: false,
  status: "queued",
  queuedAt: key,
  spans: [],
  revision: 0,
})

const makeLog = () => {
  const log = new ChangeLog({ title: "t", calls: false })
  const queue = (key: number, title?: string) => {
    log.add({ _tag: "Queued", call: row(key, title) })
    log.flush()
  }
  return { log, queue }
}

/** A server of one stream of events, and what a client of it reads. */
const streamOf = async (log: ChangeLog) => {
  const responses: Array<ServerResponse> = []
  const streams = { log, epoch: "e", open: new Set<() => void>() }
  const listener = nodeListener(async (request) => eventStream(streams, request))
  const server = createServer((request, response) => {
    responses.push(response)
    listener(request, response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const open = (lastEventId?: string) => {
    const socket = connect(port, "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    const given = lastEventId === undefined ? "" : `Last-Event-ID: ${lastEventId}\r\n`
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\n${given}\r\n`)
    let text = ""
    socket.setEncoding("utf8").on("data", (part) => (text += part))
    const until = async (pattern: RegExp) => {
      while (!pattern.test(text)) await once(socket, "data")
      return [...text.matchAll(/^id: (\S+)\nevent: (\S+)$/gm)].map(([, id, event]) => `${id} ${event}`)
    }
    return { socket, until }
  }
  return { open, responses, streams: streams.open }
}

/** The requests for a stream of events, as they come. */
const seenStreams = (): ReadonlyArray<IncomingMessage> => {
  const streams: Array<IncomingMessage> = []
  const began = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage }
    if (request.url?.endsWith("/events")) streams.push(request)
  }
  subscribe("http.server.request.start", began)
  onTestFinished(() => void unsubscribe("http.server.request.start", began))
  return streams
}

describeWith("chromium")("a page's connection", () => {
  const pages = usePages()

  it("begins with the state, and goes on behind the last event that the page has", async () => {
    const { log, queue } = makeLog()
    queue(1)
    const { open } = await streamOf(log)
    expect(await open().until(/"c1"/)).toEqual(["e.1 state"])
    queue(2)
    queue(3)
    expect(await open("e.1").until(/"c3"/)).toEqual(["e.2 changes", "e.3 changes"])
    const waits = open("e.3")
    queue(4)
    expect(await waits.until(/"c4"/)).toEqual(["e.4 changes"])
  })

  it("begins anew for a page that missed too much, of another run, or of nonsense", async () => {
    const { log, queue } = makeLog()
    // For pages alone that were here is anything kept.
    log.onNews(() => {})
    for (let key = 1; key <= 5; key++) queue(key, "x".repeat(900_000))
    const { open } = await streamOf(log)
    for (const id of ["e.1", "other.5", "e.99", "e.x", ""])
      expect(await open(id).until(/"c5"/)).toEqual(["e.5 state"])
    expect(await open("e.4").until(/"c5"/)).toEqual(["e.5 changes"])
  })

  it("holds nothing for a page that does not read, and brings it up to date when it does", async () => {
    const { log, queue } = makeLog()
    queue(1)
    const { open, responses } = await streamOf(log)
    const { socket, until } = open()
    await until(/"c1"/)
    socket.pause()
    for (let key = 2; key <= 60; key++) {
      queue(key, "x".repeat(500_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    // A message or two; the rest stands in the log alone, of which only the end is kept.
    expect(responses[0]?.writableLength).toBeLessThan(3_000_000)
    for (let key = 1; key <= 60; key++) log.add({ _tag: "Dropped", keys: [key] })
    queue(61)
    socket.resume()
    const told = await until(/"c61"/)
    expect(told.at(-1)).toBe("e.61 state")
    expect(told.length).toBeLessThan(20)
  })

  it("ends behind everything that there was to tell, and costs nothing once it is over or its page gone", async () => {
    const { log, queue } = makeLog()
    const { open, streams } = await streamOf(log)
    const [stays, goes] = [open(), open()]
    await Promise.all([stays.until(/event: state/), goes.until(/event: state/)])
    expect(streams.size).toBe(2)
    goes.socket.destroy()
    await expect.poll(() => streams.size).toBe(1)
    queue(1)
    for (const end of streams) end()
    expect(await stays.until(/\r\n0\r\n\r\n$/)).toEqual(["e.0 state", "e.1 changes"])
    expect(streams.size).toBe(0)
    // With no page left, nothing is collected for one.
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    const before = timers()
    log.add({ _tag: "Dropped", keys: [1] })
    expect(timers()).toBe(before)
  })

  it("that cannot be taken costs the page nothing", async () => {
    const { web } = await served([note])
    const servers: Array<EventEmitter> = []
    const began = (message: unknown) => servers.push((message as { readonly server: EventEmitter }).server)
    subscribe("http.server.request.start", began)
    onTestFinished(() => void unsubscribe("http.server.request.start", began))
    expect((await fetch(web.url)).status).toBe(200)
    // What no client can bring about here, such as a machine without room for another socket.
    for (let time = 0; time < 2; time++) servers[0]!.emit("error", new Error("accept ENOBUFS"))
    expect((await fetch(web.url)).status).toBe(200)
  })

  it("that is lost comes back by itself, where it was, with what happened meanwhile", async () => {
    const { executor, web } = await served([note])
    const streams = seenStreams()
    const page = await pages.open(web.url)
    await page.getByText("Live", { exact: true }).waitFor()
    executor.enqueue([{ name: "note", agentId: "a", params: { text: "before" } }])
    await page.getByRole("listitem", { name: "note: Note: before" }).waitFor()
    const reconnected = deferred()
    await page.context().route("**/api/*/events", async (route) => {
      await reconnected.promise
      await route.continue()
    })
    streams[0]!.socket.destroy()
    executor.enqueue([{ name: "note", agentId: "b", params: { text: "meanwhile" } }])
    await page.getByText("Connection lost, trying again…").waitFor()
    reconnected.resolve()
    await page.getByRole("listitem", { name: "note: Note: meanwhile" }).waitFor()
    await page.getByText("Live", { exact: true }).waitFor()
    expect(streams[1]?.headers["last-event-id"]).toMatch(/^[\w-]+\.\d+$/)
    expect(await page.getByRole("listitem", { name: /^note: / }).count()).toBe(2)
  })

  it("that a busy server refuses for now comes back by itself", async () => {
    const { web } = await served([note])
    const page = await pages.open("about:blank")
    let requests = 0
    await page.context().route("**/api/*/events", async (route) => {
      requests += 1
      // The second one asks why the first was refused.
      if (requests <= 2) return route.fulfill({ status: 503, json: { message: "Too many pages are open." } })
      return route.continue()
    })
    await page.goto(web.url)
    await page.getByText("Connection lost, trying again…").waitFor()
    await page.getByText("Live", { exact: true }).waitFor()
  })

  it("that is lost has every button off that would send something, and what was typed stays", async () => {
    const registry = new ToolRegistry([note])
    const { executor, web } = await served([note], {}, { tools: registry })
    const streams = seenStreams()
    const page = await pages.open(web.url)
    executor.enqueue([
      { name: "note", agentId: "a", params: { text: "denied" } },
      { name: "note", agentId: "b", params: { text: "opened" } },
    ])
    const denied = card(page, "note: Note: denied")
    await denied.getByRole("button", { name: "Deny…" }).click()
    await denied.getByRole("textbox").fill("not today")
    await openCall(page, "opened")
    const approve = (within: Locator) => within.getByRole("button", { name: "Approve", exact: true })
    await expect.poll(() => approve(panel(page)).isEnabled()).toBe(true)
    const buttons = [
      approve(panel(page)),
      approve(card(page, "note: Note: opened")),
      panel(page).getByRole("button", { name: "Cancel" }),
      denied.getByRole("button", { name: "Deny", exact: true }),
      page.getByRole("button", { name: "Call a tool" }),
    ]
    const reconnected = deferred()
    await page.context().route("**/api/*/events", async (route) => {
      await reconnected.promise
      await route.continue()
    })
    streams[0]!.socket.destroy()
    await page.getByText("Connection lost, trying again…").waitFor()
    for (const button of buttons) expect(await button.isDisabled()).toBe(true)
    reconnected.resolve()
    await page.getByText("Live", { exact: true }).waitFor()
    for (const button of buttons) expect(await button.isDisabled()).toBe(false)
    expect(await denied.getByRole("textbox").inputValue()).toBe("not today")
  })

  it("that is lost takes no question with it that was being loaded", async () => {
    const { executor, web } = await served([note])
    const streams = seenStreams()
    const page = await pages.open(web.url)
    await page.getByText("Live", { exact: true }).waitFor()
    const isAsked = deferred()
    // The first one gets no answer any more.
    let requests = 0
    await page.context().route("**/api/*/question?*", async (route) => {
      requests += 1
      if (requests === 1) isAsked.resolve()
      else await route.continue()
    })
    executor.enqueue([{ name: "note", params: { text: "a" } }])
    await isAsked.promise
    await page.getByText("Loading…").waitFor()
    streams[0]!.socket.destroy()
    await page.getByText("Write it down?").waitFor()
  })

  it("that fails a question alone has it read again", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    let requests = 0
    await page.context().route("**/api/*/question?*", async (route) => {
      requests += 1
      await (requests === 1 ? route.abort() : route.continue())
    })
    executor.enqueue([{ name: "note", params: { text: "a" } }])
    await page.getByText("Write it down?").waitFor()
    expect(requests).toBe(2)
  })

  it("that tells of nothing does not have it read again", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    let requests = 0
    await page.context().route("**/api/*/question?*", async (route) => {
      requests += 1
      await route.fulfill({ status: 404, json: { message: "There is nothing here, or no longer." } })
    })
    executor.enqueue([{ name: "note", params: { text: "a" } }])
    await page.getByText("Loading…").waitFor()
    // Longer than until what fails is read again.
    await page.waitForTimeout(1500)
    expect(requests).toBe(1)
  })

  it("that brings an older answer behind a newer one shows the newer", async () => {
    const { executor, web } = await served([change])
    const streams = seenStreams()
    const page = await pages.open(web.url)
    await page.getByText("Live", { exact: true }).waitFor()
    let requests = 0
    let bringOld = async () => {}
    const isOldHeld = deferred()
    await page.context().route("**/api/*/call?*", async (route) => {
      requests += 1
      if (requests > 1) return route.continue()
      const body = (await (await route.fetch()).text()).replaceAll("+new", "+old")
      bringOld = () => route.fulfill({ body, contentType: "application/json" })
      isOldHeld.resolve()
    })
    await executor.run({ name: "change", params: { to: "new" } }, () => {})
    await isOldHeld.promise
    streams[0]!.socket.destroy()
    const diff = page.getByRole("listitem", { name: "Preview: Change a.txt to new" }).locator(".diff")
    await diff.getByText("+new").waitFor()
    await Promise.all([page.waitForEvent("requestfinished"), bringOld()])
    // What comes of it is drawn within a frame and a turn.
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))")
    expect(await diff.textContent()).toContain("+new")
  })

  it("is told to be over when the page is closed, and a browser without a token is told what to do", async () => {
    const { web } = await served([note])
    const page = await pages.open(web.url)
    await page.getByText("Live", { exact: true }).waitFor()
    const stranger = await pages.open(web.url.replace(/#.*/, ""))
    await stranger.getByRole("heading", { name: "This browser has no access" }).waitFor()
    const forged = await pages.open(web.url.replace(/#.*/, "#wrong"))
    await forged.getByRole("heading", { name: "This browser has no access" }).waitFor()
    await page.reload()
    await page.getByText("Live", { exact: true }).waitFor()
    await web.close()
    await page.getByText("Ended", { exact: true }).waitFor()
  })
})
