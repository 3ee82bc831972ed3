// @module-tag waits
import { expect, it } from "vitest"
import { runCodeTool } from "../../../src/code/index.ts"
import { type Decision, defineTool, pipeline, Step, ToolFilters } from "../../../src/index.ts"
import { describeWith } from "../../support/needs.ts"
import { lines, panel } from "./calls-page.ts"
import { card, inbox, press, pressByKey, settled } from "./inbox-page.ts"
import { served, usePages } from "./pages.ts"
import { change, note, twice } from "./tools.ts"

describeWith("chromium")("the page's inbox", () => {
  const pages = usePages()

  it("shows a question whole, and its approval runs the call", async () => {
    const { executor, web } = await served([note], { approvalTimeout: "1 hour" })
    const page = await pages.open(web.url)
    const result = executor.run({ name: "note", params: { text: "buy milk" }, agentId: "cook" }, () => {})
    const question = card(page, "note: Note: buy milk")
    await question.getByText("Write it down?").waitFor()
    await question.getByText("There is no rule for the tool `note`.").waitFor()
    // An hour, about: the machine's clock may be set meanwhile.
    await question.getByText(/^[56]\d:\d\d left$/).waitFor()
    expect(await question.locator("dl").textContent()).toBe("textbuy milk")
    await question.getByText("cook").waitFor()
    await question.getByRole("button", { name: "Approve" }).click()
    expect(await result).toMatchObject({ status: "complete", decidedBy: { kind: "user" } })
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    expect(new URL(page.url()).hash).toBe("")
  })

  it("says of a nested call's question in which call it is", async () => {
    const outer = defineTool({
      name: "outer",
      description: "Writes two notes.",
      parameters: { type: "object" },
      compose: () =>
        pipeline().andThen(async ({ call }) => {
          const notes = ["a", "b"].map((text) => call("note", { text }))
          return Step.Output((await Promise.all(notes)).map(({ content }) => content).join())
        }),
    })
    const { executor, web } = await served([note, outer])
    const page = await pages.open(web.url)
    const result = executor.run({ callId: "the-outer", name: "outer" }, () => {})
    for (const text of ["b", "a"]) {
      const question = card(page, `note: Note: ${text}`)
      await question.getByText("↳ in the-outer").waitFor()
      await settled(page)
      await question.getByRole("button", { name: "Approve" }).click()
    }
    expect(await result).toMatchObject({ status: "complete" })
  })

  it("shows code with its tools, words and texts told apart", async () => {
    const { executor, web } = await served([note, runCodeTool({ tools: ["note"] })])
    const page = await pages.open(web.url)
    const source = "// <b>\nreturn await tools.note({ text: 'a' })"
    const result = executor.run({ name: "run_code", params: { source } }, () => {})
    const code = card(page, "run_code").locator("pre", { hasText: "It names the tools note." })
    await code.waitFor()
    expect(await code.textContent()).toBe(`\`\`\`js\n${source}\n\`\`\`\nIt names the tools note.`)
    const parts = await code
      .locator("span")
      .evaluateAll((spans) => spans.map((span) => `${span.className} ${span.textContent}`))
    expect(parts).toEqual([
      "code-comment // <b>",
      "code-word return",
      "code-word await",
      "code-tool tools.note",
      "code-string 'a'",
    ])
    await settled(page)
    await card(page, "run_code").getByRole("button", { name: "Deny…" }).click()
    await page.keyboard.press("Enter")
    expect(await result).toMatchObject({ status: "denied" })
  })

  it("denies with a reason, by keys alone", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    const result = executor.run({ name: "note", params: { text: "a" } }, () => {})
    await pressByKey(page, "note", "Deny…")
    await page.keyboard.type("not today")
    await page.keyboard.press("Enter")
    expect(await result).toMatchObject({ status: "denied", content: "not today" })
  })

  it("answers the chosen ones of calls that wait together, and none that comes later", async () => {
    const { executor, web } = await served([note], {}, { who: () => "ann" })
    const page = await pages.open(web.url)
    const call = (callId: string) => ({ name: "note", callId, params: { text: callId }, background: true })
    executor.enqueue(["a", "b", "c"].map(call))
    const choose = (text: string) => card(page, `note: Note: ${text}`).getByRole("checkbox").check()
    await choose("a")
    await choose("c")
    executor.enqueue([call("d")])
    await card(page, "note: Note: d").waitFor()
    await settled(page)
    await press(page, "Approve 2 chosen")
    await expect.poll(() => executor.inspect().map(({ callId }) => callId)).toEqual(["b", "d"])
    expect((await executor.tasks.wait("c"))?.decidedBy).toEqual({ kind: "user", id: "ann" })
    await choose("b")
    await settled(page)
    await press(page, "Deny 1 chosen")
    await expect.poll(() => executor.inspect().map(({ callId }) => callId)).toEqual(["d"])
    // One alone is nothing to choose from.
    await expect.poll(() => inbox(page).getByRole("checkbox").count()).toBe(0)
  })

  it("goes back by Escape to where one was, from a form and from a call", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    executor.enqueue([{ name: "note", callId: "c", params: { text: "a" } }])
    const focused = (name: string) => page.locator("button:focus", { hasText: name }).waitFor()
    for (const name of ["Edit…", "Always…", "Deny…"]) {
      await pressByKey(page, "note", name)
      await card(page, "note").getByRole("button", { name: "Back" }).waitFor()
      await page.keyboard.press("Escape")
      await focused(name)
    }
    const opener = card(page, "note").getByRole("button", { name: "note", exact: true })
    await opener.press("Enter")
    await page.getByRole("region", { name: "Call" }).getByText("Plan").waitFor()
    await page.keyboard.press("Escape")
    await focused("note")
    expect(executor.inspectCall("c")?.state).toBe("waiting")
  })

  it("fits a narrow screen, and counts there what it lists", async () => {
    const { executor, web } = await served([note, change])
    const page = await pages.open(web.url, { viewport: { width: 360, height: 740 } })
    const word = "a-rather-long-word-without-any-space/".repeat(20)
    await executor.run({ name: "change", agentId: word, params: { to: word } }, () => {})
    executor.enqueue([
      { name: "note", callId: "a", params: { text: word } },
      { name: "note", callId: "b", agentId: "b", params: { text: "b" }, decision: "requested" },
    ])
    void web.ui.select(word, [word, "b"]).catch(() => undefined)
    const views = page.getByRole("navigation", { name: "Views" })
    await views.getByRole("button", { name: "Inbox 4" }).click()
    await card(page, "note").nth(1).getByRole("button", { name: "Deny…" }).waitFor()
    // Nobody has to move what is shown from side to side.
    const isWithin = `[...document.querySelectorAll("html, .calls, .inbox, .columns")].every((each) =>
      each.scrollWidth <= each.clientWidth)`
    expect(await page.evaluate(isWithin)).toBe(true)
    await views.getByRole("button", { name: "Calls 2" }).click()
    await page.getByRole("heading", { name: "Calls 3" }).waitFor()
    expect(await page.evaluate(isWithin)).toBe(true)
    await lines(page, "note").first().getByRole("button").click()
    await panel(page).getByRole("button", { name: "Deny…" }).waitFor()
    expect(await page.evaluate(isWithin)).toBe(true)
  })

  it("lets nobody answer what is not loaded yet: its buttons still move", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    let load = () => {}
    const loaded = new Promise<void>((resolve) => {
      load = resolve
    })
    await page.context().route("**/api/*/question?*", async (route) => {
      await loaded
      await route.continue()
    })
    executor.enqueue([{ name: "note", callId: "c", params: { text: "a" } }])
    await card(page, "note").getByText("Loading…").waitFor()
    for (const name of ["Approve", "Edit…", "Always…", "Deny…"])
      expect(await card(page, "note").getByRole("button", { name }).isDisabled()).toBe(true)
    load()
    await card(page, "note").getByRole("button", { name: "Deny…" }).click()
    await card(page, "note").getByRole("button", { name: "Deny", exact: true }).click()
    await inbox(page).getByText("Nothing waits for you.").waitFor()
  })

  it("approves edited parameters, typed into a form that the schema makes", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    const result = executor.run({ name: "note", params: { text: "a", tags: ["x"] } }, () => {})
    await press(page, "Edit…")
    const form = card(page, "note").locator("form")
    // Nothing is changed yet.
    await form.getByLabel("times").press("Enter")
    await form.getByLabel("text").fill("two\nlines")
    await form.getByLabel("place").selectOption("bottom")
    await form.getByLabel("times").fill("1.5")
    await form.getByLabel("loud").selectOption("true")
    await form.getByRole("button", { name: "Approve with these" }).click()
    await form.getByRole("alert").getByText("“times” is not a whole number.").waitFor()
    await form.getByLabel("times").fill("3")
    await form.getByRole("button", { name: "Approve with these" }).click()
    const edited = { text: "two\nlines", place: "bottom", times: 3, loud: true, tags: ["x"] }
    expect((await result).content).toBe(`noted ${JSON.stringify(edited)}`)
  })

  it("shows a long diff to its end, and lets nobody approve what it cannot show whole", async () => {
    const patch = defineTool({
      name: "patch",
      description: "Asks with a diff.",
      parameters: {
        type: "object",
        properties: { lines: { type: "integer" } },
        required: ["lines"],
      } as const,
      compose: ({ lines }) =>
        pipeline()
          .andThen(() =>
            Step.Output(
              `--- a\n+++ a\n@@ -0,0 +1 @@\n${"+some text\n".repeat(Number(lines))}+the last line\n`,
            ),
          )
          .awaitApproval()
          .andThen(() => Step.Output("patched")),
    })
    const { executor, web } = await served([patch, note])
    const page = await pages.open(web.url)
    const long = executor.run({ name: "patch", params: { lines: 12_000 } }, () => {})
    await card(page, "patch").getByText("+the last line").waitFor()
    await settled(page)
    await card(page, "patch").getByRole("button", { name: "Approve" }).click()
    expect(await long).toMatchObject({ content: "patched" })
    const endless = executor.run({ name: "note", params: { text: "x".repeat(2_000_001) } }, () => {})
    await card(page, "note").getByText("so it cannot be approved here").waitFor()
    expect(await card(page, "note").getByRole("button", { name: "Approve" }).isDisabled()).toBe(true)
    await settled(page)
    await card(page, "note").getByRole("button", { name: "Deny…" }).click()
    await card(page, "note").getByRole("button", { name: "Deny" }).click()
    expect(await endless).toMatchObject({ status: "denied" })
  })

  it("lets nobody apply a preview that it cannot show whole", async () => {
    const { executor, web } = await served([change])
    const page = await pages.open(web.url)
    await executor.run({ name: "change", params: { to: "x".repeat(150_000) } }, () => {})
    const preview = card(page, "Preview")
    await preview.getByText("so it cannot be applied here").waitFor()
    expect(await preview.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true)
    await settled(page)
    await preview.getByRole("button", { name: "Discard" }).click()
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    expect(executor.agent().pendingActions.list()).toEqual([])
  })

  it("shows the rules that are remembered, before they are", async () => {
    const filters = ToolFilters.compile({})
    const { executor, web } = await served([note], { filters })
    const page = await pages.open(web.url)
    const result = executor.run({ name: "note", params: { text: "a.b" } }, () => {})
    await press(page, "Always…")
    await inbox(page)
      .getByRole("button", { name: /This very call, and no other/ })
      .getByText('{"text":"a.b"}')
      .waitFor()
    const pattern = inbox(page).getByLabel("A pattern of your own")
    for (const [typed, problem] of [
      ["^a(", "The pattern ^a( does not compile: Unterminated group. Nothing was approved."],
      [
        "^b",
        "The pattern ^b would not approve this very call, so it cannot be remembered. Nothing was approved.",
      ],
    ] as const) {
      await pattern.fill(typed)
      await press(page, "Use this pattern")
      await inbox(page).getByText(problem).waitFor()
      expect(filters.evaluate(note, { text: "a.b" })).toBeUndefined()
    }
    await pattern.fill("^a\\.")
    await press(page, "Use this pattern")
    expect(await result).toMatchObject({ status: "complete" })
    expect(filters.evaluate(note, { text: "a.c" })).toBe("approve")
    expect(filters.evaluate(note, { text: "b" })).toBeUndefined()
  })

  it("says why nothing can be remembered", async () => {
    const sign = defineTool({
      name: "sign",
      description: "Asks a person.",
      parameters: { type: "object" },
      compose: () => pipeline().awaitApproval({ person: true }),
    })
    const { executor, web } = await served([sign, note])
    const page = await pages.open(web.url)
    executor.enqueue([
      { name: "sign" },
      { name: "note", agentId: "b", params: { text: "held" }, decision: "requested" },
      { name: "note", agentId: "d", params: { text: "short" } },
    ])
    for (const [name, why] of [
      ["sign", "only a person may answer this, each time."],
      ["note: Note: held", "this asks whether the call may begin. Its gates ask further."],
    ] as const) {
      await card(page, name).getByText(`There is no “Always…”: ${why}`).waitFor()
      expect(await card(page, name).getByRole("button", { name: "Always…" }).isDisabled()).toBe(true)
    }
    await card(page, "note: Note: short").getByRole("button", { name: "Always…", disabled: false }).waitFor()
    expect(await card(page, "note: Note: short").getByText("There is no “Always…”").count()).toBe(0)
  })

  it("takes one answer of two pages, and drops at once what was answered elsewhere", async () => {
    const { executor, web } = await served([note])
    const [one, other] = [await pages.open(web.url), await pages.open(web.url)]
    const result = executor.run({ name: "note", params: { text: "a" } }, () => {})
    await card(other, "note").getByRole("button", { name: "Deny…" }).click()
    // Both are sent before either page can be told of the other's.
    let sent = 0
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    for (const page of [one, other]) {
      await page.context().route("**/api/*/answer", async (route) => {
        sent += 1
        if (sent === 2) release()
        await released
        await route.continue()
      })
    }
    await card(one, "note").getByRole("button", { name: "Approve" }).click()
    await card(other, "note").getByRole("button", { name: "Deny", exact: true }).click()
    const { status } = await result
    expect(["complete", "denied"]).toContain(status)
    for (const page of [one, other]) await inbox(page).getByText("Nothing waits for you.").waitFor()
    executor.enqueue([{ name: "note", callId: "c", params: { text: "b" } }])
    for (const page of [one, other]) await card(page, "note: Note: b").waitFor()
    expect(executor.approve("c")).toBe(true)
    for (const page of [one, other]) await inbox(page).getByText("Nothing waits for you.").waitFor()
  })

  it("says that an answer came too late", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    executor.enqueue([{ name: "note", callId: "c", params: { text: "a" } }])
    await card(page, "note").getByRole("button", { name: "Approve" }).waitFor()
    // Its page is told nothing, as if the network were slow.
    await page.context().route("**/api/*/answer", async (route) => {
      executor.deny("c")
      await route.continue()
    })
    await press(page, "Approve")
    await inbox(page).getByText("This was answered elsewhere, or its call has ended.").waitFor()
  })

  it("does not take an answer to one gate for one to the next", async () => {
    const { executor, web } = await served([twice])
    const page = await pages.open(web.url)
    const result = executor.run({ name: "twice", callId: "c" }, () => {})
    await card(page, "twice").getByText("The first?").waitFor()
    // The answer is on its way while somebody else gives one, and the call comes to its next gate.
    await page.context().route("**/api/*/answer", async (route) => {
      executor.approve("c")
      await card(page, "twice").getByText("The second?").waitFor()
      await route.continue()
    })
    await press(page, "Approve")
    await inbox(page).getByText("This was answered elsewhere, or its call has ended.").waitFor()
    expect(executor.inspectCall("c")?.state).toBe("waiting")
    await page.context().unrouteAll()
    await settled(page)
    await press(page, "Approve")
    expect(await result).toMatchObject({ status: "complete", content: "behind" })
  })

  it("takes no click on what has just moved under the pointer", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    executor.enqueue([
      { name: "note", callId: "a", agentId: "a", params: { text: "first" } },
      { name: "note", callId: "b", agentId: "b", params: { text: "second" } },
    ])
    await card(page, "note: Note: second").getByRole("button", { name: "Approve" }).waitFor()
    await settled(page)
    await page.evaluate(`new MutationObserver((_, observer) => {
      observer.disconnect()
      document.querySelector(".card .good").click()
    }).observe(document.querySelector(".cards"), { childList: true })`)
    executor.deny("a")
    await inbox(page).getByText("The questions had just moved: look again, then answer.").waitFor()
    expect(executor.inspectCall("b")?.state).toBe("waiting")
    await settled(page)
    await press(page, "Approve")
    await inbox(page).getByText("Nothing waits for you.").waitFor()
  })

  it("takes no click on what has moved and is not painted yet, however long that takes", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    executor.enqueue([
      { name: "note", callId: "a", agentId: "a", params: { text: "first" } },
      { name: "note", callId: "b", agentId: "b", params: { text: "second" } },
    ])
    await card(page, "note: Note: second").getByRole("button", { name: "Approve" }).waitFor()
    await settled(page)
    // A page that is busy for so long takes the clicks that came meanwhile before it paints.
    await page.evaluate(`new MutationObserver((_, observer) => {
      observer.disconnect()
      const began = performance.now()
      while (performance.now() - began < 500);
      document.querySelector(".card .good").click()
    }).observe(document.querySelector(".cards"), { childList: true })`)
    executor.deny("a")
    await inbox(page).getByText("The questions had just moved: look again, then answer.").waitFor()
    expect(executor.inspectCall("b")?.state).toBe("waiting")
  })

  it("asks about a call that is held, before it begins", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    const result = executor.run({ name: "note", params: { text: "a" }, decision: "requested" }, (event) => {
      if (event._tag === "AwaitingApproval") event.approve()
    })
    await inbox(page).getByText("It is to be decided before it begins: nothing of it has run.").waitFor()
    await press(page, "Approve")
    expect(await result).toMatchObject({ status: "complete" })
  })

  it("applies and discards previews, each with its diff, the latest first", async () => {
    const decisions: Array<Decision> = []
    const onDecision = (decision: Decision) => decisions.push(decision)
    const { executor, web } = await served([change], { onDecision }, { who: () => "ann" })
    const page = await pages.open(web.url)
    await executor.run({ name: "change", params: { to: "one" } }, () => {})
    await executor.run({ name: "change", params: { to: "two" } }, () => {})
    const first = card(page, "Preview: Change a.txt to one")
    await first.getByText("Decide about the newer preview of this agent first.").waitFor()
    expect(await first.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true)
    const second = card(page, "Preview: Change a.txt to two")
    // It is read once its card is there.
    await second.locator(".diff").getByText("+two").waitFor()
    expect(await second.locator(".diff span").allTextContents()).toEqual([
      "--- a.txt",
      "+++ a.txt",
      "@@ -1,1 +1,1 @@",
      "-before",
      "+two",
    ])
    await second.getByRole("button", { name: "Discard" }).click()
    await second.waitFor({ state: "detached" })
    await settled(page)
    await first.getByRole("button", { name: "Apply" }).click()
    await inbox(page).getByText("Nothing waits for you.").waitFor()
    expect(executor.agent().pendingActions.list()).toEqual([])
    await expect
      .poll(() => decisions.filter(({ name }) => name === "resolve").map(({ by }) => by))
      .toEqual([expect.objectContaining({ id: "ann" }), expect.objectContaining({ id: "ann" })])
  })

  it("shows what could not be seen in what a model sends, and runs none of it", async () => {
    const { executor, web } = await served([note])
    const page = await pages.open(web.url)
    await page.evaluate("window.ran = []")
    const hostile =
      '</pre><script>ran.push(1)</script><img src=x onerror="ran.push(2)">\u202egnp.exe\u200b\u001b[2J\u0430'
    executor.enqueue([{ name: "note", callId: "c", params: { text: hostile } }])
    const question = card(page, "note")
    const shown = await question.locator("dd").textContent()
    expect(shown).toContain('</pre><script>ran.push(1)</script><img src=x onerror="ran.push(2)">')
    expect(shown).toContain("⟦U+202E⟧gnp.exe⟦U+200B⟧⟦ESC⟧[2J")
    expect(shown).not.toMatch(/[\u202e\u200b\u001b]/)
    await question.getByRole("button", { name: "note" }).click()
    await page.getByRole("region", { name: "Call" }).getByText("⟦U+202E⟧").first().waitFor()
    expect(await page.content()).not.toMatch(/[\u202e\u200b\u001b]/)
    expect(await page.evaluate("window.ran")).toEqual([])
    expect(await page.locator("img, #page script").count()).toBe(0)
  })
})
