import { expect, it } from "vitest"
import { plainTheme } from "../../../../src/custom-tools/index.ts"
import { publishedModule } from "../published-module.ts"

const { BorderedLoader } = await publishedModule("@mariozechner/pi-coding-agent")

it("aborts its signal on Escape, once", () => {
  let aborts = 0
  const loader = new BorderedLoader(undefined, plainTheme, "Working")
  loader.onAbort = () => aborts++
  loader.handleInput("x")
  expect([loader.signal.aborted, aborts]).toEqual([false, 0])
  for (const key of ["\x1b", "\x1b"]) loader.handleInput(key)
  expect([loader.signal.aborted, aborts]).toEqual([true, 1])
})

it("stands between borders, and takes no keys where it may not be cancelled", () => {
  const loader = new BorderedLoader(undefined, plainTheme, "Working")
  expect(loader.render(8)).toEqual([
    "────────",
    " ⋯",
    " Workin",
    " g",
    "",
    " escape",
    " :",
    " cancel",
    "",
    "────────",
  ])
  const fixed = new BorderedLoader(undefined, plainTheme, "Working", { cancellable: false })
  fixed.handleInput("\x1b")
  expect(fixed.signal.aborted).toBe(false)
  expect(fixed.render(20)).not.toContain(" escape: cancel")
})
