// @module-tag waits
/** The code of the pages about agent loops, run as it stands beside a model that does what its text says. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root, runScript } from "../support/run-script.ts"

// Inside the package, so that it can import itself by name.
const folder = join(root, ".docs-hosts")

const pages = ["ai-sdk.md", "openai-agents.md", "langgraph.md"]
const snippets = pages.flatMap((name) => {
  const page = readFileSync(join(root, "docs/hosts", name), "utf8")
  return [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!)
})

/** A snippet, by what it holds; the module beside it, which plays the model; and what it prints, in order. */
interface Expectation {
  readonly holds: string
  readonly module: string
  readonly code: string
  readonly prints: ReadonlyArray<string>
}

const aiSdkModel = (turns: string) => `
  import { versions } from "../../test/hosts/ai-sdk/versions.ts"
  const call = (id: string, name: string, params = {}) => ({ id, name, params })
  const script = versions[1]!.scripted(${turns})
  export const { model } = script
  process.on("exit", () => console.log(JSON.stringify(script.asked.at(-1)!.prompt)))
`

const shell = (id: string, command: string) => `call("${id}", "shell", { command: "${command}" })`

const expectations: ReadonlyArray<Expectation> = [
  {
    holds: "const { tools, toolApproval, prepareStep } = aiSdkTools(",
    module: "model.ts",
    code: aiSdkModel(
      `[[${shell("a", "echo hello")}], [${shell("b", "rm -r .")}, ${shell("c", "ls")}], "Hello."]`,
    ),
    prints: [
      'May it run? {"command":"ls"}\nHello.\n',
      '"value":"hello\\n"',
      "Denied by policy",
      '"reason":"Not now"',
    ],
  },
  {
    holds: 'activeTools: [...step.activeTools, "clock"]',
    module: "model.ts",
    code: aiSdkModel('[[call("a", "clock")], "It is noon."]'),
    prints: ["It is noon.\n", '"value":"noon"'],
  },
  {
    holds: '"stepline/hosts/openai-agents"',
    module: "runner.ts",
    code: `
      import { scripted } from "../../test/hosts/openai-agents/scripted-model.ts"
      const calls = [{ id: "a", name: "shell", params: { command: "echo hello" } }]
      export const { runner, asked } = scripted([calls, "Hello."])
      process.on("exit", () => console.log(JSON.stringify(asked.at(-1)!.input)))
    `,
    prints: ['May it run? shell {"command":"echo hello"}\nHello.\n', '"text":"hello\\n"'],
  },
  {
    holds: '"stepline/hosts/langgraph"',
    module: "model.ts",
    code: `
      import { ScriptedModel } from "../../test/hosts/langgraph/scripted-model.ts"
      export const model = new ScriptedModel([[{ id: "a", name: "shell", params: { command: "echo hello" } }], "Hello."])
      process.on("exit", () => console.log(JSON.stringify(model.asked.at(-1))))
    `,
    prints: [
      '{"actionRequests":[{"name":"shell","args":{"command":"echo hello"},',
      "Hello.\n",
      '"content":"hello\\n"',
    ],
  },
]

describe("the adapters for agent loops", () => {
  beforeAll(() => mkdirSync(folder, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("has no code that is not run", () => {
    expect(snippets).toHaveLength(expectations.length)
  })

  expectations.forEach(({ holds, module, code, prints }, index) => {
    it(`the code with ${holds} runs as it stands`, async () => {
      const own = join(folder, String(index))
      mkdirSync(own, { recursive: true })
      writeFileSync(join(own, module), code)
      writeFileSync(join(own, "snippet.ts"), snippets.find((snippet) => snippet.includes(holds))!)
      const { stdout } = await runScript(join(own, "snippet.ts"))
      let from = 0
      for (const text of prints) {
        const at = stdout.indexOf(text, from)
        expect(at, `${JSON.stringify(text)} in ${stdout.slice(from)}`).toBeGreaterThanOrEqual(0)
        from = at + text.length
      }
    })
  })
})
