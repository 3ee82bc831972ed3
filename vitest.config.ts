import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { excluded, suites } from "./test/durable/engine-suites.ts"

const report = process.env.TEST_REPORT

// What tests log does not belong among what their user's tools have logged.
const env = { XDG_STATE_HOME: join(tmpdir(), "stepline-test-state") }

export default defineConfig({
  resolve: { conditions: ["@stepline/source"] },
  ssr: { resolve: { conditions: ["@stepline/source"] } },
  test: {
    // For what never ends. How long the rest takes is the machine's affair.
    testTimeout: 120_000,
    // Most of them wait for processes; by default two cores would get one worker.
    maxWorkers: "100%",
    hookTimeout: 120_000,
    ...(report !== undefined && { reporters: ["default", ["json", { outputFile: report }]] }),
    projects: [
      { extends: true, test: { name: "all", include: ["test/**/*.test.ts"], env } },
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
