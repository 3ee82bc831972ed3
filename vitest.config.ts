import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { excluded, suites } from "./test/durable/engine-suites.ts"

const report = process.env.TEST_REPORT

// What tests log does not belong among what their user's tools have logged.
const env = { XDG_STATE_HOME: join(tmpdir(), "stepline-test-state") }

/** Folders whose tests call functions, and leave the process as they found it: it goes on with the next file. */
const functionFolders = ["effect", "handlers", "pipeline", "policy", "resolve", "text"]

/** What changes or measures a process, or replaces modules: a file that names it has a process of its own there too. */
const processWide =
  /\bvi\.(?:mock|hoisted|stub|spyOn|useFake|reset|setSystem)|\bprocess\.(?!execPath\b|pid\b)|\bglobalThis\b|support\/(?:growth|unhandled)/

const functions = functionFolders
  .flatMap((folder) => {
    const names = readdirSync(join("test", folder), { recursive: true, encoding: "utf8" })
    return names.map((name) => join("test", folder, name))
  })
  .filter((path) => path.endsWith(".test.ts") && !processWide.test(readFileSync(path, "utf8")))

/** What compilers and typedoc make of the sources, and what stands in them and in the pages. A second run, on another Node, is without it. */
const sourcesOnly = [
  "test/doc-comments.test.ts",
  "test/docs/{links,site}.test.ts",
  "test/package/consumer-types.test.ts",
]
const leftOut = process.env.TEST_NODE_AGAIN === undefined ? [] : sourcesOnly

/** Short files that take long. By their size they would come last, one worker at the end waiting for the other. */
const longRunning = [
  "durable/every-commit.test.ts",
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

export default defineConfig({
  resolve: { conditions: ["@stepline/source"] },
  ssr: { resolve: { conditions: ["@stepline/source"] } },
  test: {
    globalSetup: "test/support/run-folder.ts",
    // For what never ends. How long the rest takes is the machine's affair.
    testTimeout: 120_000,
    // Most of them wait for processes for a third of their time; by default two cores would get one worker.
    maxWorkers: availableParallelism() + 1,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    sequence: { sequencer: LongRunningFirst },
    ...(report !== undefined && { reporters: ["default", ["json", { outputFile: report }]] }),
    projects: [
      {
        extends: true,
        test: {
          name: "processes",
          include: ["test/**/*.test.ts"],
          exclude: [...functions, ...leftOut],
          env,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: "functions", include: functions, env, isolate: false } },
      {
        extends: true,
        test: {
          name: "durable",
          include: suites,
          exclude: excluded,
          env: { ...env, STEPLINE_TEST_EXECUTOR: "durable" },
          setupFiles: ["test/durable/engine-setup.ts"],
          // They hold nothing beside their executors: to load everything once for all of them is enough.
          isolate: false,
        },
      },
    ],
  },
})
