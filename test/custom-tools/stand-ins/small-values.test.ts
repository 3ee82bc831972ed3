/** Values that tools take from their agents' packages and that need neither agent, screen nor model. */
import { writeFile } from "node:fs/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { useTempFolder } from "../../io/temp-folder.ts"
import { publishedModule } from "./published-module.ts"

const moduleOf = (name: string) => publishedModule(`@earendil-works/${name}`)
const [agent, ai, tui] = await Promise.all(["pi-coding-agent", "pi-ai", "pi-tui"].map(moduleOf))

const path = useTempFolder()

describe("texts", () => {
  it("names languages by the ends of paths", () => {
    const paths = ["a.ts", "dir.x/b.PY", "c.json", "Makefile", "d.unknown", "e"]
    expect(paths.map((each) => agent!.getLanguageFromPath(each))).toEqual([
      "typescript",
      "python",
      "json",
      "makefile",
      undefined,
      undefined,
    ])
  })

  it("shows code and differences as they are", () => {
    expect(agent!.highlightCode("a\nb", "ts")).toEqual(["a", "b"])
    expect(agent!.renderDiff("+1 a")).toBe("+1 a")
  })

  it("makes differences with and without numbers", () => {
    expect(agent!.generateUnifiedPatch("f.txt", "a\nb\n", "a\nc\n")).toBe(
      "--- f.txt\n+++ f.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
    )
    expect(agent!.generateDiffString("a\nb\n", "a\nc\n")).toEqual({
      diff: " 1 a\n-2 b\n+2 c",
      firstChangedLine: 2,
    })
  })

  it("cuts a wrapped text at either end", () => {
    const cut = agent!.truncateToVisualLines
    expect(cut("aaaa bbbb cccc", 2, 5)).toEqual({ visualLines: ["bbbb", "cccc"], skippedCount: 1 })
    expect(cut("aaaa bbbb cccc", 2, 5, 0, "start")).toEqual({
      visualLines: ["aaaa", "bbbb"],
      skippedCount: 1,
    })
    expect(cut("", 2, 5)).toEqual({ visualLines: [], skippedCount: 0 })
    expect(new tui!.TruncatedText("long line\nmore", 1, 0).render(8)).toEqual([" lon... "])
  })

  it("slices lines by columns, with the styles that are on there", () => {
    expect(tui!.sliceByColumn("\x1b[31mabcdef\x1b[0m", 2, 2)).toBe("\x1b[31mcd")
    expect([tui!.sliceByColumn("a語b", 1, 1), tui!.sliceByColumn("a語b", 1, 1, true)]).toEqual(["語", ""])
    expect(tui!.stripTerminalSequences(tui!.hyperlink("\x1b[1mx\x1b[0m", "https://e.example"))).toBe("x")
  })

  it("says keys only where there are any", () => {
    expect([agent!.keyText("tui.select.confirm"), agent!.keyText("app.other")]).toEqual(["enter", ""])
    expect(agent!.rawKeyHint("x", "delete")).toBe("x delete")
  })
})

describe("skills", () => {
  it("are listed for a prompt, but those that a model may not use", () => {
    const hidden = { name: "h", description: "d", filePath: "/h", disableModelInvocation: true }
    expect(agent!.formatSkillsForPrompt([hidden])).toBe("")
    expect(
      agent!.formatSkillsForPrompt([hidden, { name: "a&b", description: "d", filePath: "/s" }]),
    ).toContain(
      "<skill>\n    <name>a&amp;b</name>\n    <description>d</description>\n    <location>/s</location>",
    )
  })

  it("are read out of the message that invoked one", () => {
    expect(agent!.parseSkillBlock('<skill name="n" location="/l">\nbody\n</skill>\n\ngo')).toEqual({
      name: "n",
      location: "/l",
      content: "body",
      userMessage: "go",
    })
    expect(agent!.parseSkillBlock("no skill")).toBeNull()
  })
})

describe("settings", () => {
  it("are the user's, read by their names and never changed", async () => {
    await writeFile(path("settings.json"), '{"shellPath":"/bin/zsh","compaction":{"enabled":false}}')
    const settings = agent!.SettingsManager.create("/project", path())
    expect([settings.getShellPath(), settings.getTheme()]).toEqual(["/bin/zsh", undefined])
    expect([settings.getCompactionSettings(), settings.getRetrySettings()]).toEqual([{ enabled: false }, {}])
    expect([settings.getGlobalSettings().shellPath, settings.getProjectSettings()]).toEqual(["/bin/zsh", {}])
    expect(() => settings.setTheme("x")).toThrow(
      "SettingsManager.setTheme() is not for tools of stepline: they read settings, and change none.",
    )
    expect(agent!.SettingsManager.create("/project", path("nowhere")).getTheme()).toBeUndefined()
    expect(agent!.SettingsManager.inMemory({ theme: "dark" }).getTheme()).toBe("dark")
  })
})

describe("models", () => {
  it("have the levels of thinking that they say", () => {
    const levels = ai!.getSupportedThinkingLevels
    expect(levels({ reasoning: false })).toEqual(["off"])
    expect(levels({ reasoning: true })).toEqual(["off", "minimal", "low", "medium", "high"])
    const model = { reasoning: true, thinkingLevelMap: { minimal: null, off: null, max: "max" } }
    expect(levels(model)).toEqual(["low", "medium", "high", "max"])
    const clamp = ai!.clampThinkingLevel
    expect([clamp(model, "minimal"), clamp(model, "xhigh"), clamp({}, "high"), clamp(model, "?")]).toEqual([
      "low",
      "max",
      "off",
      "low",
    ])
  })

  it("are known by their provider and id; none is here", () => {
    const model = { id: "m", provider: "p" }
    expect([ai!.modelsAreEqual(model, { ...model }), ai!.modelsAreEqual(model, undefined)]).toEqual([
      true,
      false,
    ])
    expect([ai!.getModels("p"), ai!.getProviders()]).toEqual([[], []])
  })
})

it("makes ids that sort by time", () => {
  const now = Date.UTC(2026, 0, 2)
  vi.useFakeTimers({ toFake: ["Date"], now })
  onTestFinished(() => void vi.useRealTimers())
  const id = ai!.uuidv7()
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(now)
})

it("gives the tools of an agent that only reads, and of one that codes", () => {
  const names = (make: string) => agent![make](path()).map(({ name }: { name: string }) => name)
  expect(names("createReadOnlyTools")).toEqual(["read", "grep", "find", "ls"])
  expect(names("createCodingTools")).toEqual(["read", "bash", "edit", "write"])
})

it("makes a bus whose listeners end their listening, and break nobody", async () => {
  const bus = agent!.createEventBus()
  const heard: Array<unknown> = []
  bus.on("c", () => {
    throw new Error("no")
  })
  const end = bus.on("c", (data: unknown) => heard.push(data))
  bus.emit("c", 1)
  end()
  bus.emit("c", 2)
  // A channel like any other, also if nobody listens to it.
  bus.emit("error", new Error("no"))
  expect(heard).toEqual([1])
})
