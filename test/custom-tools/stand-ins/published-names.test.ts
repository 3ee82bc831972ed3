/** The names that pi's and oh-my-pi's packages publish: those that are not ours say what they need. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type PublishedModule, publishedModule } from "./published-module.ts"

const agentOf = (scope: string) => publishedModule(`${scope}/pi-coding-agent`)
const agents = {
  old: await agentOf("@mariozechner"),
  pi: await agentOf("@earendil-works"),
  omp: await agentOf("@oh-my-pi"),
}

const use = (module: PublishedModule, name: string) => () => module[name]()

const missed = {
  "pi-coding-agent":
    "CONFIG_DIR_NAME keyText highlightCode getLanguageFromPath buildSessionContext ModelRuntime copyToClipboard generateUnifiedPatch generateDiffString getSelectListTheme rawKeyHint stripFrontmatter createReadOnlyTools SettingsManager",
  "pi-tui": "sliceByColumn getKeybindings stripTerminalSequences hyperlink Image isKeyRepeat TruncatedText",
  "pi-ai": "uuidv7 getSupportedThinkingLevels completeSimple",
  "pi-ai/compat": "complete completeSimple streamSimple StringEnum Type getModel",
  "pi-agent-core": "uuidv7 Agent runAgentLoop",
}

it.each(["@mariozechner", "@earendil-works", "@oh-my-pi"])("are in the modules of %s", async (scope) => {
  for (const [name, names] of Object.entries(missed)) {
    const module = await publishedModule(`${scope}/${name}`)
    expect(names.split(" ").filter((each) => module[each] === undefined)).toEqual([])
  }
})

describe("names that stepline cannot answer for", () => {
  it("say what they need, and where their own package is to be had", async () => {
    expect(use(agents.old, "createAgentSession")).toThrow(
      "createAgentSession() needs an agent of its own; install @mariozechner/pi-coding-agent beside the tool.",
    )
    expect(use(agents.old, "ThemeSelectorComponent")).toThrow(
      "ThemeSelectorComponent() needs a screen of its own; install",
    )
    expect(use(agents.omp, "createAgentSession")).toThrow(
      "@oh-my-pi/pi-coding-agent runs in Bun alone, so only oh-my-pi itself can give it.",
    )
    expect(use(await publishedModule("@earendil-works/pi-ai/compat"), "complete")).toThrow(
      "complete() needs a model provider; install @earendil-works/pi-ai",
    )
  })

  it("answer plainly where they are asked at load", async () => {
    const ai = await publishedModule("@earendil-works/pi-ai")
    expect([ai.getModel("a", "b"), ai.getApiProvider("a"), ai.getApiProviders()]).toEqual([
      undefined,
      undefined,
      [],
    ])
    expect([ai.registerApiProvider({}), ai.getOAuthProviders(), ai.getEnvApiKey("a")]).toEqual([
      undefined,
      [],
      undefined,
    ])
    const { getPackageDir, getReadmePath, getDocsPath, getExamplesPath } = agents.pi
    expect(JSON.parse(await readFile(join(getPackageDir(), "package.json"), "utf8")).name).toBe("stepline")
    expect([getReadmePath(), getDocsPath(), getExamplesPath()]).toEqual(
      ["README.md", "docs", "examples"].map((name) => join(getPackageDir(), name)),
    )
  })
})

it("name the folder of each agent", () => {
  expect([agents.pi.CONFIG_DIR_NAME, agents.omp.CONFIG_DIR_NAME]).toEqual([".pi", ".omp"])
})

it("have chalk without colours for oh-my-pi", async () => {
  const { default: chalk } = await publishedModule("@oh-my-pi/pi-utils/chalk")
  expect([chalk.red.bold("a"), chalk.hex("#fff")("b")]).toEqual(["a", "b"])
})
