import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { machinePage } from "./machine-page.ts"

it("docs/call-machine.md is what the machine does; else run `npm run docs:machine`", () => {
  const page = readFileSync(new URL("../../../docs/call-machine.md", import.meta.url), "utf8")
  expect(page).toBe(machinePage())
})
