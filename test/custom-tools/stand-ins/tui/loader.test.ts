import { expect, it } from "vitest"
import {
  BorderedLoader,
  CancellableLoader,
  Loader,
} from "../../../../src/custom-tools/stand-ins/tui/loader.ts"
import { plainTheme } from "../../../../src/custom-tools/theme.ts"

const plain = (text: string): string => text

it("shows its message", () => {
  const loader = new Loader(undefined, plain, plain, "Working")
  expect(loader.render(20)).toEqual([" ⋯ Working"])
  loader.setMessage("Still")
  expect(loader.render(20)).toEqual([" ⋯ Still"])
})

it("aborts its signal on Escape, once", () => {
  let aborts = 0
  const loader = new CancellableLoader(undefined, plain, plain)
  loader.onAbort = () => aborts++
  for (const key of ["x", "\x1b", "\x1b"]) loader.handleInput(key)
  expect([loader.aborted, loader.signal.aborted, aborts]).toEqual([true, true, 1])
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
  loader.handleInput("\x1b")
  expect(loader.signal.aborted).toBe(true)
  const fixed = new BorderedLoader(undefined, plainTheme, "Working", { cancellable: false })
  fixed.handleInput("\x1b")
  expect(fixed.signal.aborted).toBe(false)
  expect(fixed.render(20)).not.toContain(" escape: cancel")
})
