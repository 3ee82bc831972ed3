// @module-tag waits
/** Every block of TypeScript in the README and in `docs/`: it fits the types, runs as it stands, and prints what the page says. */
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { builtPackage } from "../support/built-package.ts"
import { type CodeBlock, codeBlocksOf, docPages } from "../support/doc-pages.ts"
import { needs, type Program } from "../support/needs.ts"
import { root, runScript } from "../support/run-script.ts"

// Inside the package, so that it can import itself by name.
const folder = join(root, ".docs-code")

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

const folderOf = (path: string): string => join(folder, path.replaceAll("/", "-").replace(/\.md$/, ""))

/** Pages whose blocks other tests run, beside what these need. */
const runElsewhere: ReadonlySet<string> = new Set([
  "docs/hosts/acp.md",
  "docs/hosts/ai-sdk.md",
  "docs/hosts/openai-agents.md",
  "docs/hosts/langgraph.md",
])

/** What stands beside the blocks of a page, for those that import it. */
const besides: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "README.md": {
    "model.ts": `
      import { versions } from "../../test/hosts/ai-sdk/versions.ts"
      const calls = [{ id: "a", name: "shell", params: { command: "echo hello" } }]
      export const { model } = versions[1]!.scripted([calls, "It says hello."])
    `,
  },
  "docs/hosts/ai-sdk.md": {
    "model.ts": `import type { LanguageModel } from "ai"\nexport declare const model: LanguageModel`,
  },
  "docs/hosts/langgraph.md": {
    "model.ts": `import type { BaseChatModel } from "@langchain/core/language_models/chat_models"\nexport declare const model: BaseChatModel`,
  },
  "docs/hosts/openai-agents.md": {
    "runner.ts": `import type { Runner } from "@openai/agents"\nexport declare const runner: Runner`,
  },
}

/** What the blocks of a page run besides Node. */
const programs: Readonly<Record<string, ReadonlyArray<Program>>> = {
  "docs/coming-from/pi.md": ["git"],
  "docs/guides/foreign-tools.md": ["git"],
  "docs/guides/sandbox.md": ["bwrap"],
}

/** What a person types for a page. */
const typed: Readonly<Record<string, string>> = { "docs/guides/coding-agent.md": "y\n" }

const pages = docPages()
  .map((page) => ({ ...page, blocks: codeBlocksOf(page) }))
  .filter(({ blocks }) => blocks.length > 0)

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** `…` stands for anything, also for several lines. */
const fitting = (prints: string): RegExp => new RegExp(`^${prints.split("…").map(escaped).join("[^]*?")}$`)

const fileOf = (path: string, index: number): string => join(folderOf(path), `block-${index + 1}.ts`)

/** What is printed between two blocks. */
const blockEnd = "\n--- the next block ---\n"

/** One process for all blocks of a page, since starting takes longer than most of them. */
const runnerOf = (blocks: ReadonlyArray<CodeBlock>): string =>
  blocks
    .flatMap(({ runs }, index) => (runs ? [`await import("./block-${index + 1}.ts")`] : []))
    .join(`\nconsole.log(${JSON.stringify(blockEnd)})\n`)
    .concat("\nexport {}\n")

/**
 * The checkout's settings, but for names that a block leaves for its reader to use. What is imported has its published types: the
 * sources, whose check takes five times as long, are checked by `npm run typecheck`.
 */
const tsconfigFor = (builtFolder: string) => ({
  extends: "../tsconfig.json",
  compilerOptions: {
    noUnusedLocals: false,
    noUnusedParameters: false,
    customConditions: [],
    paths: Object.fromEntries(
      Object.entries(exports).flatMap(([name, entry]) =>
        typeof entry === "string" ? [] : [[name.replace(".", "stepline"), [join(builtFolder, entry.types)]]],
      ),
    ),
  },
  include: ["**/*.ts"],
})

describe("the pages' code", () => {
  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    for (const { path, blocks } of pages) {
      mkdirSync(folderOf(path), { recursive: true })
      for (const [index, { code }] of blocks.entries())
        writeFileSync(fileOf(path, index), `${code}\nexport {}\n`)
      writeFileSync(join(folderOf(path), "page.ts"), runnerOf(blocks))
      for (const [name, code] of Object.entries(besides[path] ?? {}))
        writeFileSync(join(folderOf(path), name), code)
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfigFor(await builtPackage())))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("is there", () => {
    expect(pages.map(({ path }) => path)).toContain("README.md")
    expect(pages.length).toBeGreaterThan(12)
  })

  // A compiler takes a minute where others have the cores.
  it("fits the types", { timeout: 600_000 }, async () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const run = promisify(execFile)(process.execPath, [tsc, "-p", folder], { cwd: root })
    expect(
      await run.then(
        () => "",
        ({ stdout }: { readonly stdout: string }) => stdout,
      ),
    ).toBe("")
  })

  for (const { path, blocks } of pages) {
    const numbers = blocks.flatMap(({ runs }, index) => (runs ? [index] : []))
    if (runElsewhere.has(path) || numbers.length === 0) continue
    it(`of ${path} runs as it stands`, async (test) => {
      needs(test, ...(programs[path] ?? []))
      const files = numbers.map((index) => fileOf(path, index))
      const { stdout } = await runScript(join(folderOf(path), "page.ts"), files, typed[path])
      const printed = stdout.split(blockEnd)
      for (const [place, index] of numbers.entries()) {
        const { prints } = blocks[index]!
        if (prints !== undefined) expect(printed[place]!.trim()).toMatch(fitting(prints.trim()))
      }
    })
  }
})
