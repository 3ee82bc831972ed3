import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { excluded, suites } from "./test/durable/engine-suites.ts"

const { CI, TEST_REPORT: report, TEST_NODE_AGAIN: nodeAgain } = process.env

/** A file says what it is for by lines such as `// @module-tag waits`. */
const tags = [
  {
    name: "waits",
    description: "Waits for processes, servers, browsers or the clock. In CI it is tried again.",
  },
  { name: "node", description: "Differs from one version of Node to another: a second run tries it." },
  { name: "alone", description: "Needs a process in which no other file has run." },
]

/** What changes or measures a process, or replaces modules: a file that names it has a process of its own. */
const processWide =
  /\bvi\.(?:mock|hoisted|stubGlobal|spyOn|reset)|\bprocess\.(?!(?:arch|cwd|execPath|getuid|kill|pid|platform|ppid|ts|versions|env(?!\.\w+ =|\[))\b)\w|\bglobalThis\b|support\/(?:growth|unhandled)/

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => {
    const text = readFileSync(join("test", path), "utf8")
    const has = (tag: string) =>
      text.includes(`\n// @module-tag ${tag}\n`) || text.startsWith(`// @module-tag ${tag}\n`)
    const group = has("waits") ? "waits" : "functions"
    return {
      path: join("test", path),
      group,
      isAlone: has("alone") || processWide.test(text),
      isOfNode: has("node"),
    }
  })
  .filter(({ isOfNode }) => nodeAgain === undefined || isOfNode)

const ofGroup = (group: string, alone: boolean) =>
  files.filter((file) => file.group === group && file.isAlone === alone).map(({ path }) => path)

/** Short files that take long. By their size they would come last, one worker at the end waiting for the other. */
const longRunning = [
  "durable/every-commit.test.ts",
  "durable/nested-calls-killed.test.ts",
  "code/random-programs.test.ts",
  "durable/postgres/store.test.ts",
  "durable/postgres/runners.test.ts",
  "package/consumer-types.test.ts",
  "docs/pages.test.ts",
  "docs/site.test.ts",
  "docs/mcp-gateway.test.ts",
  "examples.test.ts",
]

class LongRunningFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const bySize = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longRunning.some((name) => moduleId.endsWith(name))
    return [...bySize.filter(isLong), ...bySize.filter((file) => !isLong(file))]
  }
}

/** What the projects have compiled of the sources, which each would else compile for itself. Of this run alone: nothing is stale. */
const compiled = mkdtempSync(join(tmpdir(), "stepline-compiled-"))
process.on("exit", () => rmSync(compiled, { recursive: true, force: true }))

const ownHome = "test/support/own-home.ts"
/** Nothing here waits: none is ever tried again. */
const waitless = [ownHome, "test/support/waits-for-nothing.ts"]

export default defineConfig({
  resolve: { conditions: ["@stepline/source"] },
  ssr: { resolve: { conditions: ["@stepline/source"] } },
  test: {
    tags,
    experimental: { fsModuleCache: true, fsModuleCachePath: compiled },
    globalSetup: "test/support/run-folder.ts",
    // For what never ends. How long the rest takes is the machine's affair.
    testTimeout: 120_000,
    // By default two cores would get one worker.
    maxWorkers: availableParallelism() + 1,
    // Those of many files wait for the package, which is compiled once for all of them.
    hookTimeout: 600_000,
    expect: { poll: { timeout: 100_000 } },
    sequence: { sequencer: LongRunningFirst },
    reporters: [
      "default",
      "./test/support/last-words.ts",
      ...(report === undefined ? [] : [["json", { outputFile: report }] satisfies [string, object]]),
    ],
    passWithNoTests: nodeAgain !== undefined,
    projects: [
      ...[true, false].flatMap((alone) => {
        const name = (group: string) => (alone ? `${group}, alone` : group)
        const [waits, functions] = [ofGroup("waits", alone), ofGroup("functions", alone)]
        return [
          {
            extends: true as const,
            test: {
              name: name("waits"),
              include: waits,
              setupFiles: [ownHome],
              isolate: alone,
              retry: CI === undefined ? 0 : 2,
              sequence: { groupOrder: 1 },
              // They wait for half of their time.
              maxWorkers: availableParallelism() * 2 + 1,
            },
          },
          {
            extends: true as const,
            test: { name: name("functions"), include: functions, setupFiles: waitless, isolate: alone },
          },
        ]
      }),
      {
        extends: true,
        test: {
          name: "durable",
          include: nodeAgain === undefined ? suites : [],
          exclude: excluded,
          env: { STEPLINE_TEST_EXECUTOR: "durable" },
          setupFiles: [...waitless, "test/durable/engine-setup.ts"],
          // They hold nothing beside their executors: to load everything once for all of them is enough.
          isolate: false,
        },
      },
    ],
  },
})
