// @module-tag waits
import { execFileSync, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { afterAll, expect, it, onTestFinished } from "vitest"
import { PrivateAddressError } from "../../src/io/address-guard.ts"
import { Browser } from "../../src/io/browser.ts"
import { FetchError } from "../../src/io/fetch-error.ts"
import { findChromium } from "../../src/io/find-chromium.ts"
import { browserOf, forPages, watchedChromium } from "../servers/chromium.ts"
import { redirectsTo, sends, useHttpServer } from "../servers/http-server.ts"
import { deferred, turn } from "../support/deferred.ts"
import { describeWith } from "../support/needs.ts"
import { compileScript } from "../support/run-script.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()
const server = useHttpServer()

const html = { "content-type": "text/html" }

const read = (browser: Browser, url: string, signal?: AbortSignal) =>
  browser.readPage({ url: new URL(url), maxLength: 50_000, ...(signal !== undefined && { signal }) })

/** One Chromium for the tests that say nothing of its start and its end, and one whose guard takes 127.0.0.1 for public, and not 127.0.0.2. */
const open = new Browser({ settleTimeout: 0, loadTimeout: 60_000, allowPrivate: true })
const guarded = new Browser({
  settleTimeout: 60_000,
  loadTimeout: 60_000,
  isAllowed: (address) => address === "127.0.0.1",
})
afterAll(() => Promise.all([open.close(), guarded.close()]))

/** A page that never comes. Resolves with what its connection's end can be awaited by. */
const holdPage = (name: string): Promise<{ readonly closed: Promise<unknown> }> =>
  new Promise((resolve) => {
    server.route(name, (_request, response) => resolve({ closed: once(response, "close") }))
  })

describeWith("chromium")("the Chromium of a Browser", () => {
  it("is started once for all pages, ends when none is read, and is started again", async () => {
    server.route("/", sends("<p>here</p>", html))
    const { executablePath, started, ended } = await watchedChromium(path)
    const browser = browserOf({ executablePath, allowPrivate: true, idleTimeout: 1 })
    const held = holdPage("/held")
    const controller = new AbortController()
    const holding = read(browser, server.url("/held"), controller.signal)
    await held
    const pages = await Promise.all([1, 2, 3].map(() => read(browser, server.url("/"))))
    expect(pages.map(({ markdown }) => markdown)).toEqual(["here", "here", "here"])
    controller.abort()
    await expect(holding).rejects.toMatchObject({ name: "AbortError" })
    expect(await started).toBeGreaterThan(0)
    await ended
    expect((await read(browser, server.url("/"))).markdown).toBe("here")
  })

  it("ends with what it reads when it is closed, and is started again by the next page", async () => {
    server.route("/", sends("<p>here</p>", html))
    const browser = browserOf({ ...forPages, allowPrivate: true })
    const held = holdPage("/held")
    const reading = read(browser, server.url("/held"))
    const failed = expect(reading).rejects.toThrow(
      `The browser ended while it read ${server.url("/held")}. Try again.`,
    )
    const { closed } = await held
    await browser.close()
    await failed
    await closed
    expect((await read(browser, server.url("/"))).markdown).toBe("here")
  })

  it("is replaced after a crash", async () => {
    server.route("/", sends("<p>here</p>", html))
    const watched = await watchedChromium(path)
    const browser = browserOf({ executablePath: watched.executablePath, allowPrivate: true })
    const held = holdPage("/held")
    const failed = expect(read(browser, server.url("/held"))).rejects.toThrow()
    await held
    process.kill(await watched.started, "SIGKILL")
    await failed
    expect((await read(browser, server.url("/"))).markdown).toBe("here")
  })

  it.each([
    ["", []],
    [" with a profile", ["profile"]],
  ])("neither holds up nor outlives a process that forgets it%s", async (_, profile) => {
    server.route("/", sends("<p>here</p>", html))
    const { executablePath, ended } = await watchedChromium(path)
    const script = await compileScript("test/io/read-page.ts")
    const args = [script, executablePath, server.url("/"), ...profile.map(path)]
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "inherit"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    const [[line], [code]] = await Promise.all([once(child.stdout, "data"), once(child, "exit")])
    expect([String(line), code]).toEqual(["here\n", 0])
    await ended
  })

  it("has no secrets of its process, and does not outlive it where that is killed", async () => {
    const held = holdPage("/held")
    const { executablePath, started, ended } = await watchedChromium(path)
    const args = [await compileScript("test/io/read-page.ts"), executablePath, server.url("/held")]
    const env = { ...process.env, SOME_TOKEN: "token", SOME_WORD: "word" }
    const child = spawn(process.execPath, args, { env, stdio: "inherit" })
    await held
    const variables = (await readFile(`/proc/${await started}/environ`, "utf8")).split("\0")
    expect(variables).toContain("SOME_WORD=word")
    expect(variables).not.toContain("SOME_TOKEN=token")
    child.kill("SIGKILL")
    await ended
  })

  it("is waited for by those who close it, though it holds nobody up", async () => {
    server.route("/", sends("<p>here</p>", html))
    const { executablePath, ended } = await watchedChromium(path)
    const browser = browserOf({ executablePath, allowPrivate: true })
    await read(browser, server.url("/"))
    await browser.close()
    await ended
  })

  it("ends with a page that is asked for while it starts, when it is closed", async () => {
    server.route("/", sends("<p>here</p>", html))
    holdPage("/held")
    const browser = browserOf({ ...forPages, allowPrivate: true })
    const reading = read(browser, server.url("/held"))
    const failed = expect(reading).rejects.toThrow(
      `The browser ended while it read ${server.url("/held")}. Try again.`,
    )
    await browser.close()
    await failed
  })

  it("is followed by another one for a page that is asked for while it ends", async () => {
    server.route("/", sends("<p>here</p>", html))
    const browser = browserOf({ ...forPages, allowPrivate: true })
    await read(browser, server.url("/"))
    const [, page] = await Promise.all([browser.close(), read(browser, server.url("/"))])
    expect(page.markdown).toBe("here")
  })

  it("is not taken for broken where an address sounds like it", async () => {
    server.route("/why-it-crashed.zip", sends("PK", { "content-type": "application/zip" }))
    const url = server.url("/why-it-crashed.zip")
    await expect(read(open, url)).rejects.toThrow(`${url} is a download, not a page.`)
    const resolve = () => Promise.reject(new Error("Nobody knows which host has been closed or crashed"))
    await expect(read(browserOf({ resolve }), "http://crashed.test/")).rejects.toThrow("Nobody knows")
  })

  it("keeps cookies in a profile, and none without", async () => {
    server.route("/", (request, response) => {
      response.writeHead(200, { ...html, "set-cookie": "seen=yes; max-age=1000" })
      response.end(request.headers.cookie ?? "no cookie")
    })
    await read(open, server.url("/"))
    expect((await read(open, server.url("/"))).markdown).toBe("no cookie")
    const lasting = browserOf({ allowPrivate: true, profile: path("profile") })
    await read(lasting, server.url("/"))
    await lasting.close()
    expect((await read(lasting, server.url("/"))).markdown).toBe("seen=yes")
    // Before its folder is removed.
    await lasting.close()
  })

  it("that does not start is an error which names it", async () => {
    await expect(read(browserOf({ executablePath: "/bin/false" }), server.url("/"))).rejects.toThrow(
      /^The browser \/bin\/false cannot be started: /,
    )
    for (const executablePath of ["/nowhere", path()]) {
      await expect(read(browserOf({ executablePath }), server.url("/"))).rejects.toThrow(
        `There is no browser at ${executablePath}. `,
      )
    }
  })

  it("that does not start has its last words told", async () => {
    await writeFile(path("chromium"), "#!/bin/sh\necho starting >&2\necho no more memory >&2\nexit 1\n", {
      mode: 0o755,
    })
    await expect(read(browserOf({ executablePath: path("chromium") }), server.url("/"))).rejects.toThrow(
      new FetchError(`The browser ${path("chromium")} cannot be started: no more memory`),
    )
  })

  it("that hangs as it starts is ended by those who close it", async () => {
    execFileSync("mkfifo", [path("life")])
    await writeFile(
      path("chromium"),
      `#!/bin/sh\nexec 9> '${path("life")}'; echo $$ >&9\nexec sleep 1000\n`,
      {
        mode: 0o755,
      },
    )
    const life = createReadStream(path("life"))
    const browser = browserOf({ executablePath: path("chromium") })
    const failed = expect(read(browser, server.url("/"))).rejects.toThrow(
      `The browser ended while it read ${server.url("/")}. Try again.`,
    )
    const ended = once(life, "close")
    await once(life, "data")
    await browser.close()
    await failed
    await ended
  })

  it("with a profile that cannot be made is an error which names it", async () => {
    await writeFile(path("file"), "")
    const browser = browserOf({ profile: path("file/profile") })
    await expect(read(browser, server.url("/"))).rejects.toThrow(
      /^The folder of the browser's profile cannot be used: .*file\/profile/,
    )
  })
})

describeWith("chromium")("an aborted signal", () => {
  /** A browser that reads `/`, and what does something while its Chromium is stopped. */
  const suspendedChromium = async () => {
    server.route("/", sends("<p>here</p>", html))
    const { executablePath, started } = await watchedChromium(path, forPages)
    const browser = browserOf({ executablePath, allowPrivate: true })
    await read(browser, server.url("/"))
    const pid = await started
    const suspended = async (work: () => Promise<void>) => {
      process.kill(pid, "SIGSTOP")
      try {
        await work()
      } finally {
        process.kill(pid, "SIGCONT")
      }
    }
    return { browser, suspended }
  }

  it("ends the loading of a page", async () => {
    const controller = new AbortController()
    const held = holdPage("/held")
    const reading = read(open, server.url("/held"), controller.signal)
    const { closed } = await held
    controller.abort(new Error("no longer needed"))
    await expect(reading).rejects.toThrow("no longer needed")
    await closed
  })

  it("ends a page whose script never ends", async () => {
    const controller = new AbortController()
    const spinning = new Promise<void>((resolve) => {
      server.route("/spinning", (_request, response) => {
        response.end()
        resolve()
      })
    })
    server.route("/", sends("<p>text</p><script>fetch('/spinning').then(() => { for (;;); })</script>", html))
    const reading = read(open, server.url("/"), controller.signal)
    await spinning
    controller.abort()
    await reading.catch(() => {})
    server.route("/", sends("<p>here</p>", html))
    expect((await read(open, server.url("/"))).markdown).toBe("here")
  })

  it("ends the loading of a page in a profile", async () => {
    const browser = browserOf({ ...forPages, allowPrivate: true, profile: path("profile") })
    const controller = new AbortController()
    const held = holdPage("/held")
    const reading = read(browser, server.url("/held"), controller.signal)
    const { closed } = await held
    controller.abort(new Error("no longer needed"))
    await expect(reading).rejects.toThrow("no longer needed")
    await closed
    server.route("/", sends("<p>here</p>", html))
    expect((await read(browser, server.url("/"))).markdown).toBe("here")
    // Before its folder is removed.
    await browser.close()
  })

  it("does not wait for a Chromium that starts, which then reads the next page", async () => {
    server.route("/", sends("<p>here</p>", html))
    execFileSync("mkfifo", [path("gate")])
    const script = `#!/bin/sh\n: > '${path("gate")}'\nexec '${await findChromium(forPages.executablePath)}' "$@"\n`
    await writeFile(path("chromium"), script, { mode: 0o755 })
    const browser = browserOf({ executablePath: path("chromium"), allowPrivate: true })
    const controller = new AbortController()
    const reading = read(browser, server.url("/"), controller.signal)
    controller.abort(new Error("no longer needed"))
    await expect(reading).rejects.toThrow("no longer needed")
    const next = read(browser, server.url("/"))
    await readFile(path("gate"))
    expect((await next).markdown).toBe("here")
  })

  it("does not wait for a Chromium that opens no tab", async () => {
    const { browser, suspended } = await suspendedChromium()
    const controller = new AbortController()
    await suspended(async () => {
      const reading = read(browser, server.url("/"), controller.signal)
      await turn()
      controller.abort(new Error("no longer needed"))
      await expect(reading).rejects.toThrow("no longer needed")
    })
    expect((await read(browser, server.url("/"))).markdown).toBe("here")
  })

  it("does not wait for a Chromium that closes no tab", async () => {
    const { browser, suspended } = await suspendedChromium()
    const controller = new AbortController()
    const held = holdPage("/held")
    const reading = read(browser, server.url("/held"), controller.signal)
    const { closed } = await held
    await suspended(async () => {
      controller.abort(new Error("no longer needed"))
      await expect(reading).rejects.toThrow("no longer needed")
    })
    await closed
  })

  it("starts nothing where it was aborted before", async () => {
    const browser = browserOf({ executablePath: "/nowhere" })
    await expect(read(browser, server.url("/"), AbortSignal.abort())).rejects.toMatchObject({
      name: "AbortError",
    })
  })
})

describeWith("chromium")("the address guard of a Browser", () => {
  const privateRequests = () =>
    server.requests.filter(({ headers }) => !headers.host?.startsWith("127.0.0.1:"))

  it("refuses pages of private addresses, and redirects to them", async () => {
    server.route("/from", redirectsTo(server.url("/to", "127.0.0.2")))
    server.route("/script", sends(`<script>location = "${server.url("/to", "127.0.0.2")}"</script>`, html))
    await expect(read(guarded, server.url("/", "127.0.0.2"))).rejects.toThrow(PrivateAddressError)
    await expect(read(guarded, server.url("/from"))).rejects.toThrow(PrivateAddressError)
    await expect(read(guarded, server.url("/to", "127.0.0.2").replace("http:", "https:"))).rejects.toThrow(
      PrivateAddressError,
    )
    await read(guarded, server.url("/script")).catch(() => {})
    expect(privateRequests()).toEqual([])
  })

  it("refuses this machine by all its names", async () => {
    const browser = browserOf()
    for (const host of ["127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]"]) {
      await expect(read(browser, server.url("/", host))).rejects.toThrow(PrivateAddressError)
    }
    expect(server.requests).toEqual([])
  })

  it("holds for all that a page loads, opens and connects to", async () => {
    const udp = createSocket("udp4")
    onTestFinished(() => void udp.close())
    let packets = 0
    udp.on("message", () => packets++)
    udp.bind(0, "0.0.0.0")
    await once(udp, "listening")
    const elsewhere = server.url("/private", "127.0.0.2")
    server.route("/redirect", redirectsTo(elsewhere))
    // The network is not silent before all has been tried: not everything that is tried counts as network.
    const shown = deferred()
    server.route("/busy", (_request, response) => void shown.promise.then(() => response.end()))
    server.route("/shown", (_request, response) => {
      response.end()
      shown.resolve()
    })
    server.route(
      "/",
      sends(
        `<img src="${elsewhere}"><iframe src="${elsewhere}"></iframe><link rel="stylesheet" href="${elsewhere}">
        <p id="out"></p><script>
        fetch("/busy")
        const fails = (name, open) => open().then(() => name + " open", () => name + " closed")
        const socket = (host) => () => new Promise((resolve, reject) => {
          const socket = new WebSocket("ws://" + host + ":" + location.port + "/socket")
          socket.onopen = resolve
          socket.onerror = reject
        })
        const gather = async () => {
          const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.2:${(udp.address() as AddressInfo).port}" }] })
          peer.createDataChannel("x")
          const done = new Promise((resolve) => {
            peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === "complete") resolve() }
          })
          await peer.setLocalDescription(await peer.createOffer())
          await done
        }
        Promise.all([
          fails("fetch", () => fetch("${elsewhere}", { mode: "no-cors" })),
          fails("redirect", () => fetch("/redirect", { mode: "no-cors" })),
          fails("socket", socket("127.0.0.2")),
          fails("peers", gather),
        ]).then((results) => {
          document.getElementById("out").textContent = results.join(", ")
          fetch("/shown")
        })
        </script>`,
        html,
      ),
    )
    const { markdown } = await read(guarded, server.url("/"))
    expect(markdown).toContain("fetch closed, redirect closed, socket closed, peers open")
    expect(privateRequests()).toEqual([])
    expect(packets).toBe(0)
  })

  it("lets everything pass where private addresses are allowed", async () => {
    server.route("/", sends("<p>here</p>", html))
    expect((await read(open, server.url("/", "127.0.0.2"))).markdown).toBe("here")
    expect((await read(open, server.url("/", "localhost"))).markdown).toBe("here")
  })
})
