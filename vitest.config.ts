import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

const report = process.env.TEST_REPORT

export default defineConfig({
  resolve: { conditions: ["@stepline/source"] },
  ssr: { resolve: { conditions: ["@stepline/source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    // For what never ends. How long the rest takes is the machine's affair.
    testTimeout: 120_000,
    // Most of them wait for processes; by default two cores would get one worker.
    maxWorkers: "100%",
    hookTimeout: 120_000,
    // What tests log does not belong among what their user's tools have logged.
    env: { XDG_STATE_HOME: join(tmpdir(), "stepline-test-state") },
    ...(report !== undefined && { reporters: ["default", ["json", { outputFile: report }]] }),
  },
})
