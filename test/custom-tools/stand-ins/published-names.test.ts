/** The names that pi's and oh-my-pi's packages publish: each is there, and those that are not ours say what they need. */
import { describe, expect, it } from "vitest"
import { loadStandIns } from "../../../src/custom-tools/stand-ins/index.ts"

const standIns = await loadStandIns()

const agent = (scope = "@earendil-works") => standIns[`${scope}/pi-coding-agent`]!
const use = (module: Readonly<Record<string, unknown>>, name: string) => () =>
  (module[name] as () => unknown)()

const missed = {
  "pi-coding-agent":
    "CONFIG_DIR_NAME keyText highlightCode getLanguageFromPath buildSessionContext ModelRuntime copyToClipboard generateUnifiedPatch generateDiffString getSelectListTheme rawKeyHint stripFrontmatter createReadOnlyTools SettingsManager",
  "pi-tui": "sliceByColumn getKeybindings stripTerminalSequences hyperlink Image isKeyRepeat TruncatedText",
  "pi-ai": "uuidv7 getSupportedThinkingLevels completeSimple",
  "pi-ai/compat": "complete completeSimple streamSimple StringEnum Type getModel",
  "pi-agent-core": "uuidv7 Agent runAgentLoop",
}

it.each(["@mariozechner", "@earendil-works", "@oh-my-pi"])("are in the modules of %s", (scope) => {
  for (const [name, names] of Object.entries(missed)) {
    const module = standIns[`${scope}/${name}`]!
    expect(names.split(" ").filter((each) => module[each] === undefined)).toEqual([])
  }
})

describe("names that stepline cannot answer for", () => {
  it("say what they need, and where their own package is to be had", () => {
    expect(use(agent("@mariozechner"), "createAgentSession")).toThrow(
      "createAgentSession() needs an agent of its own; install @mariozechner/pi-coding-agent beside the tool.",
    )
    expect(use(agent("@mariozechner"), "ThemeSelectorComponent")).toThrow(
      "ThemeSelectorComponent() needs a screen of its own; install",
    )
    expect(use(agent("@oh-my-pi"), "createAgentSession")).toThrow(
      "@oh-my-pi/pi-coding-agent runs in Bun alone, so only oh-my-pi itself can give it.",
    )
    expect(use(standIns["@earendil-works/pi-ai/compat"]!, "complete")).toThrow(
      "complete() needs a model provider; install @earendil-works/pi-ai",
    )
  })

  it("are oh-my-pi's own in its scope alone", () => {
    expect(agent("@oh-my-pi")).toHaveProperty("BUILTIN_TOOLS")
    expect(agent()).not.toHaveProperty("BUILTIN_TOOLS")
  })
})

it("name the folder of each agent", () => {
  expect([agent().CONFIG_DIR_NAME, agent("@oh-my-pi").CONFIG_DIR_NAME]).toEqual([".pi", ".omp"])
})

it("have chalk without colours for oh-my-pi", () => {
  const { default: chalk } = standIns["@oh-my-pi/pi-utils/chalk"] as {
    readonly default: {
      readonly red: { bold(text: string): string }
      hex(code: string): (text: string) => string
    }
  }
  expect([chalk.red.bold("a"), chalk.hex("#fff")("b")]).toEqual(["a", "b"])
})
