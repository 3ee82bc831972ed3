// @module-tag waits
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { FetchHtml } from "../../src/handlers/fetch-html.ts"
import { fetchHtmlTool, makeFetchHtmlTool } from "../../src/impls/fetch-html.ts"
import { Browser, type BrowserOptions, localBrowser } from "../../src/io/browser.ts"
import { answerOf, contextOf, runHandler, stepOf } from "../handlers/run-handler.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { forPages } from "../servers/chromium.ts"
import { redirectsTo, sends, useHttpServer } from "../servers/http-server.ts"
import { describeWith } from "../support/needs.ts"
import { conforms } from "./conformance.ts"
import { resultOf } from "./result-of.ts"

const cwd = useTempFolder()
const server = useHttpServer()
/** Pages that change nothing by themselves need no waiting for silence. No name is known, and why sounds like the end of a tab. */
const options: BrowserOptions = {
  allowPrivate: true,
  settleTimeout: 1,
  loadTimeout: 60_000,
  resolve: () =>
    Promise.reject(Object.assign(new Error("Page: who closed or crashed?"), { code: "ENOTFOUND" })),
}
const browser = new Browser({ ...options, ...forPages })
/** For pages that do; it waits as long as it takes. */
const patient = new Browser({ allowPrivate: true, settleTimeout: 60_000, loadTimeout: 60_000, ...forPages })
/** For those that do not end. */
const impatient = new Browser({ allowPrivate: true, settleTimeout: 1, loadTimeout: 5_000, ...forPages })
/** For what fails: that is told by the browser, not by its page. */
const installed = new Browser(options)
const browsers = [browser, patient, impatient, installed, localBrowser]
afterAll(() => Promise.all(browsers.map((each) => each.close())))

const html = { "content-type": "text/html; charset=utf-8" }
const paragraph = "Each lane runs one call at a time, and what waits for its host holds nobody else up. "
  .repeat(8)
  .trim()

const fetchHtml = (path: string, reader = browser, maxLength?: number) =>
  FetchHtml({ url: server.url(path), ...(maxLength !== undefined && { maxLength }) }, reader)

const answer = (path: string, reader = browser, maxLength?: number) =>
  answerOf(fetchHtml(path, reader, maxLength), { cwd: "/" })

/** The Markdown of a page, without the header. */
const markdownOf = async (page: string, reader = browser): Promise<string> => {
  server.route("/page", sends(page, html))
  const text = await answer("/page", reader)
  expect(text).not.toMatch(/^Error/)
  return text.slice(text.indexOf("\n\n") + 2)
}

describeWith("chromium")("the Markdown of a page", () => {
  it("is that of its article, without what is around it", async () => {
    const markdown = await markdownOf(`<title>A title</title>
      <nav><a href="/a">Home</a> <a href="/b">News</a></nav>
      <article><h1>The headline</h1><p>${paragraph}</p><h2>A part</h2><p>${paragraph}</p></article>
      <footer>All rights reserved</footer>`)
    expect(markdown).toBe(`## The headline\n\n${paragraph}\n\n## A part\n\n${paragraph}`)
  })

  it("is that of the whole page where it has no article to speak of", async () => {
    const links = Array.from({ length: 5 }, (_, index) => `<li><a href="/${index}">Entry ${index}</a></li>`)
    const markdown = await markdownOf(`<h1>Index</h1><ul>${links.join("")}</ul><p>The end.</p>`)
    expect(markdown).toContain("Index")
    expect(markdown).toContain(`[Entry 4](${server.url("/4")})`)
    expect(markdown).toContain("The end.")
  })

  it("has links and images by their whole URLs, after the page's base", async () => {
    const markdown = await markdownOf(`<base href="/docs/"><article><p>${paragraph}</p>
      <p><a href="a.html?x=1#y">one</a> <a href="//other.test/b">two</a> <a href="../c">three</a>
      <a href="javascript:alert(1)">four</a></p><p><img src="picture.png" alt="A picture"> and text</p>
      <img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="dot"></article>`)
    expect(markdown).toContain(
      `[one](${server.url("/docs/a.html?x=1#y")}) [two](http://other.test/b) [three](${server.url("/c")}) four`,
    )
    expect(markdown).toContain(`![A picture](${server.url("/docs/picture.png")})`)
    expect(markdown).not.toContain("data:")
  })

  it("keeps code and its lines, and names its language, however the page does", async () => {
    const blocks = [
      ['<pre><code class="language-ts">CODE</code></pre>', "ts"],
      ['<pre class="lang-rust">CODE</pre>', "rust"],
      ['<pre lang="go"><code>CODE</code></pre>', "go"],
      ['<pre><code class="hljs python">CODE</code></pre>', "python"],
      ['<div class="highlight highlight-source-shell"><pre>CODE</pre></div>', "shell"],
      ['<div class="language-yaml highlighter"><div><pre><code>CODE</code></pre></div></div>', "yaml"],
      ['<pre data-lang="c++">CODE</pre>', "c++"],
      ["<pre>CODE</pre>", ""],
    ] as const
    const code = "if (a &lt; b) {\n  <span>call</span>()\n\n  // * _x_\n}"
    const markdown = await markdownOf(`<style>.line { display: block }</style><article><p>${paragraph}</p>
      ${blocks.map(([block]) => block.replace("CODE", code)).join("")}
      <pre><code class="language-js"><span class="line">one()</span><span class="line">two()</span></code></pre></article>`)
    expect(markdown.slice(paragraph.length)).toBe(
      [
        ...blocks.map(
          ([, language]) => `\n\n\`\`\`${language}\nif (a < b) {\n  call()\n\n  // * _x_\n}\n\`\`\``,
        ),
        "\n\n```js\none()\ntwo()\n```",
      ].join(""),
    )
  })

  it("keeps tables and lists, their tasks included", async () => {
    const markdown = await markdownOf(`<article><p>${paragraph}</p>
      <table><thead><tr><th>Name</th><th align="right">Size</th></tr></thead>
      <tbody><tr><td>a|b</td><td align="right">1</td></tr><tr><td style="color: red"><code>c</code></td><td align="right">2</td></tr></tbody></table>
      <ul><li><input type="checkbox" checked>done</li><li><input type="checkbox">open</li></ul>
      <ol start="3"><li>three</li><li>four</li></ol></article>`)
    expect(markdown).toContain("| Name | Size |\n| --- | ---: |\n| a\\|b | 1   |\n| `c` | 2   |")
    expect(markdown).toContain("-   [x] done\n-   [ ] open")
    expect(markdown).toContain("3.  three\n4.  four")
  })

  it("leaves out what cannot be seen, and keeps what can", async () => {
    const styled = (style: string) => `<div style="${style}"><p>TEXT</p></div>`
    const unseen = [
      "<p hidden>TEXT</p>",
      '<p class="gone">TEXT</p>',
      '<p style="visibility: hidden">TEXT</p>',
      '<p class="sr">TEXT</p>',
      "<noscript>TEXT</noscript>",
      "<template><p>TEXT</p></template>",
      ...[
        "display: none",
        "opacity: 0",
        "filter: opacity(0)",
        "font-size: 0",
        "position: absolute; left: -9999px",
        "position: relative; left: -9999px",
        "height: 0; overflow: hidden",
        "max-height: 0; overflow: hidden",
        "clip-path: inset(50%)",
        "position: absolute; clip: rect(0, 0, 0, 0)",
        "transform: scale(0)",
        "text-indent: -9999px; overflow: hidden",
        "content-visibility: hidden",
      ].map(styled),
    ]
    const seen = [
      '<p style="visibility: hidden"><b style="visibility: visible">TEXT</b></p>',
      '<script>document.write("<p>TEXT</p>")</script>',
      "<details><summary>TEXT</summary></details>",
      "<details><summary>More</summary><div style='overflow: auto'><p>TEXT</p></div></details>",
      "<details name=a open>x</details><details name=a><pre>TEXT</pre></details>",
      "<p style='opacity: 0; transition: opacity 1s'>TEXT</p>",
      "<div style='font-size: 0'><p style='font-size: 10px'>TEXT</p></div>",
      "<div style='display: contents'><p>TEXT</p></div>",
      "<div style='height: 0'><p>TEXT</p></div>",
      "<div style='height: 5000px'></div><p style='content-visibility: auto'>TEXT</p>",
    ]
    const blocks = [...unseen, ...seen]
    const markdown =
      await markdownOf(`<style>.gone { display: none } .sr { position: absolute; width: 1px; height: 1px; overflow: hidden }</style>
      ${blocks.map((block, index) => block.replace("TEXT", `text ${index}.`)).join("\n")}`)
    expect(blocks.filter((_, index) => markdown.includes(`text ${index}.`))).toEqual(seen)
  })

  it("keeps what is far to the right of a page that is read from there", async () => {
    const block = "<script>document.dir = 'rtl'</script><p style='position: absolute; right: 3000px'>here</p>"
    expect(await markdownOf(`<p>seen</p>${block}`)).toContain("here")
  })

  it("names frames, which are pages of their own", async () => {
    const markdown =
      await markdownOf(`<p>text</p><iframe src="/inner" title="A map"></iframe><iframe src="/other">
      </iframe><iframe src="/hidden" hidden></iframe>`)
    expect(markdown).toBe(
      `text\n\n[frame: A map](${server.url("/inner")})\n\n[frame: ${server.url("/other")}](${server.url("/other")})`,
    )
  })

  it("has what scripts add behind a dialog, also what they load, and what is in shadow trees", async () => {
    server.route("/data", sends("loaded later"))
    const markdown = await markdownOf(
      `<article><p>${paragraph}</p><x-box>slotted text</x-box><div id="late"></div></article><script>
      alert("wait")
      confirm("?")
      const box = document.querySelector("x-box").attachShadow({ mode: "open" })
      box.innerHTML = "<p>before the slot</p><slot></slot>"
      fetch("/data").then((response) => response.text()).then((text) => { document.getElementById("late").innerHTML = "<p>" + text + "</p>" })
      </script>`,
      patient,
    )
    expect(markdown).toMatch(/before the slot\s+slotted text\s+loaded later/)
  })

  it("has what is in a form whose fields have the names of its own properties", async () => {
    const names = [
      "nodeType",
      "childNodes",
      "shadowRoot",
      "parentElement",
      "getAttribute",
      "getBoundingClientRect",
    ]
    const fields = [...names, ...names].map((name) => `<input name="${name}">`).join("")
    const markdown = await markdownOf(`<form style="position: absolute">${fields}
      <button id="nodeName">Go</button><fieldset id="firstChild"></fieldset><p>${paragraph}</p>
      <ul><li>One</li></ul><pre><code>code</code></pre><p>${paragraph}</p></form>`)
    expect(markdown).toContain(paragraph)
    expect(markdown).toContain("code")
  })

  it("does not depend on what the page's scripts and policies did", async () => {
    const policy =
      "default-src 'none'; script-src 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types 'none'"
    server.route(
      "/page",
      sends(
        `<title>Strict</title><article><p>${paragraph}</p></article><script>
        Node.prototype.cloneNode = Document.prototype.querySelector = Array.prototype.filter = () => { throw new Error("mine") }
        globalThis.getComputedStyle = undefined</script>`,
        { ...html, "content-security-policy": policy },
      ),
    )
    expect(await answer("/page")).toContain(`[Status: 200 OK]\n\n${paragraph}`)
  })
})

describeWith("chromium")("the answer of FetchHtml", () => {
  it("has the URL, the title and the status in its header, and details for the host", async () => {
    server.route("/page", sends(`<title>\n A  title </title><p>text</p>`, html))
    const text = `[URL: ${server.url("/page")}]\n[Title: A title]\n[Status: 200 OK]\n\ntext`
    expect(await runHandler(fetchHtml("/page"), { cwd: "/" })).toMatchObject({
      output: {
        content: [{ type: "text", text }],
        details: { url: server.url("/page"), title: "A title", status: 200, size: 4 },
      },
    })
  })

  it("shows where it was redirected, by the server and by a script", async () => {
    server.route("/from", redirectsTo("/middle"))
    server.route("/middle", sends(`<script>location.replace("/to")</script>`, html))
    server.route("/to", sends("<p>there</p>", html))
    expect(await answer("/from", patient)).toBe(
      `[Redirected from: ${server.url("/from")}]\n[URL: ${server.url("/to")}]\n[Title: none]\n[Status: 200 OK]\n\nthere`,
    )
  })

  it("has a header of bounded length, however long the addresses are", async () => {
    const long = (path: string) => `${path}?${"x".repeat(5_000)}`
    server.route("/from", redirectsTo(long("/to")))
    server.route("/to", sends("<p>there</p>", html))
    const shown = (path: string) => `${server.url(long(path)).slice(0, 2000)}…]`
    expect((await answer(long("/from"))).split("\n").slice(0, 2)).toEqual([
      `[Redirected from: ${shown("/from")}`,
      `[URL: ${shown("/to")}`,
    ])
  })

  it("shows an error page with its status", async () => {
    server.route("/page", (_request, response) => {
      response.writeHead(404, html).end("<title>Lost</title><h1>Not here</h1><p>Try elsewhere.</p>")
    })
    const text = await answer("/page")
    expect(text).toContain("[Title: Lost]\n[Status: 404 Not Found]\n\n")
    expect(text).toContain("Try elsewhere.")
  })

  it("is cut at a whole character, with a note, where the page is long", async () => {
    server.route("/page", sends(`<p>${"é".repeat(60_000)}</p>`, html))
    expect(await answer("/page", browser, 5)).toMatch(
      /\n\néé\n\[truncated: these are the first 4 bytes; the page has 120000\]$/,
    )
  })

  it("is that of the first two million characters, of which 50,000 bytes are shown", async () => {
    server.route("/page", sends(`<p>${"x".repeat(1_999_000)}</p><p>${"y".repeat(2_000)}</p><p>end</p>`, html))
    expect(await answer("/page")).toMatch(
      /\n\nx{50000}\n\[truncated: these are the first 50000 bytes; the page has more than 2001002\]$/,
    )
  })

  it("says that a page has no text", async () => {
    server.route("/page", sends("<title>Blank</title>", html))
    expect(await answer("/page")).toMatch(/\n\n\(no text\)$/)
  })

  it("is that of now for a page that never falls silent, or never ends", async () => {
    server.route("/tick", (_request, response) => response.end())
    server.route(
      "/restless",
      sends("<p>here</p><script>const go = () => fetch('/tick').then(go); go()</script>", html),
    )
    expect(await answer("/restless")).toMatch(/\n\nhere$/)
    server.route("/endless", (_request, response) => {
      response.writeHead(200, html).write(`<p>so far</p>${" ".repeat(5_000)}`)
    })
    expect(await answer("/endless", impatient)).toMatch(/\n\nso far$/)
  })
})

describeWith("chromium")("a failure of FetchHtml", () => {
  const download =
    " is a download, not a page. Use fetch_url for text, or the shell tool, for example with curl -o."
  const picture = " is no page but image/png. Download it with the shell tool, for example with curl -o."
  it.each([
    ["a download", "/file", { "content-disposition": "attachment" }, download],
    ["an archive", "/why-it-crashed.zip", { "content-type": "application/zip" }, download],
    ["a picture", "/file", { "content-type": "image/png" }, picture],
  ])("is %s", async (_, path, headers, reason) => {
    server.route(path, sends("PK", { ...html, ...headers }))
    expect(await answer(path, installed)).toBe(`Error: ${server.url(path)}${reason}`)
  })

  it("is in our words, or none, for a page that keeps replacing itself", async () => {
    server.route("/page", sends("<p>now</p><script>location.href = '/page?' + Math.random()</script>", html))
    expect(await answer("/page", impatient)).toMatch(
      /\n\nnow$|\?0\.\d+ keeps replacing itself and cannot be read\. Try fetch_url, which runs no scripts\.$/,
    )
  })

  it("is an answer that is not valid HTTP", async () => {
    server.route("/page", (_request, response) => {
      response.socket!.end("HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n")
    })
    expect(await answer("/page", installed)).toBe(
      `Error: The answer of ${new URL(server.url("/")).host} is not valid HTTP.`,
    )
  })

  it("is an answer without a page", async () => {
    server.route("/page", (_request, response) => response.writeHead(204).end())
    expect(await answer("/page", installed)).toBe(
      `Error: Cannot open ${server.url("/page")}: ERR_ABORTED. The server answered: 204 No Content`,
    )
  })

  it("is an error status with nothing to show", async () => {
    server.route("/page", (_request, response) => response.writeHead(503).end())
    expect(await answer("/page", installed)).toBe("Error: HTTP error: 503 Service Unavailable")
  })

  it("is a server that breaks off", async () => {
    server.route("/page", (_request, response) => response.destroy())
    expect(await answer("/page", installed)).toBe(
      `Error: Cannot fetch ${server.url("/page")}: the server broke the connection off.`,
    )
  })

  it("is a name that nobody knows, whatever the reason sounds like", async () => {
    for (const url of ["http://nowhere.test/", "https://nowhere.test/"]) {
      expect(await answerOf(FetchHtml({ url }, installed), { cwd: "/" })).toBe(
        `Error: Cannot fetch ${url}: the name of the host is not known. Check its spelling.`,
      )
    }
  })

  it("is 30 s without a page, whose loading is ended", async () => {
    let closed: Promise<void> | undefined
    const asked = new Promise<void>((resolve) => {
      server.route("/page", (_request, response) => {
        closed = new Promise((ended) => response.on("close", ended))
        resolve()
      })
    })
    const program = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(stepOf(fetchHtml("/page", installed), contextOf({ cwd: "/" })))
      yield* Effect.promise(() => asked)
      yield* TestClock.adjust("30 seconds")
      return yield* Fiber.join(fiber)
    })
    expect(
      await Effect.runPromise(Effect.provide(program, TestClock.layer({ warningDelay: "10 minutes" }))),
    ).toMatchObject({
      _tag: "Error",
      message: `Timed out after 30 s: ${server.url("/page")}\nThe page's scripts may never end. fetch_url gives its source without running them.`,
    })
    await closed
  })
})

describeWith("chromium")("fetch_html", () => {
  it("refuses this machine by all its names without the option of its browser", async () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"]) {
      expect(await resultOf(fetchHtmlTool, { url: server.url("/", host) })).toMatchObject({
        status: "error",
        content: expect.stringMatching(/^Refused to connect: .* set its option allowPrivate\.$/),
      })
    }
    expect(server.requests).toEqual([])
  })
})

describe("fetch_html without a browser", () => {
  beforeEach(() => {
    vi.stubEnv("CHROME_PATH", "/nowhere/chromium")
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it("says how to get one", async () => {
    const result = await resultOf(makeFetchHtmlTool(new Browser()), { url: "https://example.org/" })
    expect(result).toMatchObject({
      status: "error",
      content:
        "There is no browser at /nowhere/chromium. Let CHROME_PATH name the executable file of a Chromium, or leave it unset.",
    })
  })

  it("refuses what is no URL of a page without asking", async () => {
    expect(await resultOf(fetchHtmlTool, { url: "file:///etc/passwd" }, "unasked")).toMatchObject({
      status: "error",
      content: "Only http and https URLs can be fetched, not file:",
    })
  })
})

describeWith("chromium")("a call of fetch_html", () => {
  conforms({
    tool: makeFetchHtmlTool(browser),
    cwd,
    prepare: () => {
      server.route("/", sends("<p>text</p>", html))
      return { url: server.url("/") }
    },
    badParams: {},
    asks: true,
    effects: [],
    cleanup: [],
  })
})
