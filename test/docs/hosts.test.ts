/** The code of `docs/hosts.md`, run as it stands beside a model that does what its text says. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root, runScript } from "../support/run-script.ts"

// Inside the package, so that it can import itself by name.
const folder = join(root, ".docs-hosts")

const page = readFileSync(join(root, "docs/hosts.md"), "utf8")
const snippets = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!)

const besides = {
  "model.ts": `
    import { versions } from "../test/hosts/ai-sdk/versions.ts"
    const shell = (id: string, command: string) => ({ id, name: "shell", params: { command } })
    const script = versions[1]!.scripted([[shell("a", "echo hello")], [shell("b", "rm -r ."), shell("c", "ls")], "Hello."])
    export const { model } = script
    process.on("exit", () => console.log(JSON.stringify(script.asked.at(-1)!.prompt)))
  `,
  "runner.ts": `
    import { scripted } from "../test/hosts/openai-agents/scripted-model.ts"
    const calls = [{ id: "a", name: "shell", params: { command: "echo hello" } }]
    export const { runner, asked } = scripted([calls, "Hello."])
    process.on("exit", () => console.log(JSON.stringify(asked.at(-1)!.input)))
  `,
}

/** What the snippets that import these print, in order. */
const prints: Readonly<Record<string, ReadonlyArray<string>>> = {
  "stepline/hosts/ai-sdk": [
    'May it run? {"command":"ls"}\nHello.\n',
    '"value":"hello\\n"',
    "Denied by policy",
    '"reason":"Not now"',
  ],
  "stepline/hosts/openai-agents": [
    'May it run? shell {"command":"echo hello"}\nHello.\n',
    '"text":"hello\\n"',
  ],
}

describe("docs/hosts.md", () => {
  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
    for (const [name, code] of Object.entries(besides)) writeFileSync(join(folder, name), code)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  for (const [entry, expected] of Object.entries(prints)) {
    it(`the code with ${entry} runs as it stands`, async () => {
      const path = join(folder, `${entry.replaceAll("/", "-")}.ts`)
      writeFileSync(path, snippets.find((code) => code.includes(`"${entry}"`))!)
      const { stdout } = await runScript(path)
      let from = 0
      for (const text of expected) {
        const at = stdout.indexOf(text, from)
        expect(at, `${JSON.stringify(text)} in ${stdout.slice(from)}`).toBeGreaterThanOrEqual(0)
        from = at + text.length
      }
    })
  }
})
