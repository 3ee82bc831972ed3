import { defineConfig } from "vitest/config"

const report = process.env.TEST_REPORT

export default defineConfig({
  resolve: { conditions: ["@stepline/source"] },
  ssr: { resolve: { conditions: ["@stepline/source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...(report !== undefined && { reporters: ["default", ["json", { outputFile: report }]] }),
  },
})
