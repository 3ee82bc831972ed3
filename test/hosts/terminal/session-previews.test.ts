import { expect, test } from "vitest"
import { ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { previewTools } from "./preview-tools.ts"
import { SessionTerminal } from "./session-terminal.ts"

const openSession = async (): Promise<SessionTerminal> => {
  const executor = new ToolExecutor(new ToolRegistry(previewTools()))
  const terminal = new SessionTerminal({ executor, greeting: "ready" }, { rows: 40 })
  await terminal.see(/ready[\s\S]*›$/)
  return terminal
}

test("what is pending stands in the prompt, the latest by name, and /pending lists it", async () => {
  await using terminal = await openSession()
  terminal.enter("/pending")
  await terminal.see("Nothing is pending.")
  terminal.enter("rename a b")
  await terminal.see(/\+b\n\/apply makes these changes, \/discard drops them\.\n\n\[1 pending: Rename a\] ›$/)
  terminal.enter("publish site")
  await terminal.see(/\[2 pending: Publish site\] ›$/)
  terminal.type("/pen\t")
  await terminal.see(/\[2 pending: Publish site\] › \/pending\s*$/)
  expect(terminal.cursor.column).toBe("[2 pending: Publish site] › /pending ".length)
  terminal.type("\r")
  await terminal.see(/› \/pending\n {2}action\S+ Publish site {2}publish\n {2}action\S+ Rename a {6}rename\n/)
  terminal.enter("/tools")
  await terminal.see("resolve ACTION REASON")
})

test("/apply that fails leaves the preview pending and says so, and the next one succeeds", async () => {
  await using terminal = await openSession()
  terminal.enter("rename a b")
  await terminal.see(/\[1 pending: Rename a\] ›$/)
  terminal.enter("/apply it reads  better")
  await terminal.see(
    /✗ resolve\(apply\)(?: [\d.]+s)?\n {2}Failed: Rename a\n {2}Reason: it reads {2}better\n\s+b is taken\nStill pending: Rename a\n\n\[1 pending: Rename a\] ›$/,
  )
  terminal.enter("/apply")
  await terminal.see(
    /✓ resolve\(apply\)(?: [\d.]+s)?\n {2}Accept: Rename a\n {2}Reason: Decided by the user\n\s+a is b now\n\n›$/,
  )
  terminal.enter("/apply")
  await terminal.see(/No pending action to resolve\. Nothing to apply or discard\.\n\n›$/)
})

test("a gate behind the preview asks for its call, and what is denied there is pending again", async () => {
  await using terminal = await openSession()
  terminal.enter("publish site")
  await terminal.see(/\[1 pending: Publish site\] ›$/)
  terminal.enter("/apply")
  await terminal.see(
    /\? publish\(site\)\n {2}For everybody\?\n│ site, as it would be\n {2}\[y\]es \[n\]o \[a\]lways\n\n›$/,
  )
  terminal.type("n\r")
  await terminal.see(
    /⊘ resolve\(apply\)(?: [\d.]+s)?\n[\s\S]*Denied by user\nStill pending: Publish site\n\n\[1 pending/,
  )
  terminal.enter("/apply")
  await terminal.see("[y]es")
  terminal.type("y")
  await terminal.see(
    /✓ resolve\(apply\)(?: [\d.]+s)?\n {2}Accept: Publish site\n[\s\S]* {2}site is published\n\n›$/,
  )
})

test("/discard drops the latest preview beside a call that holds the lane", async () => {
  await using terminal = await openSession()
  terminal.enter("rename a b")
  await terminal.see(/\[1 pending: Rename a\] ›$/)
  terminal.enter("wait")
  await terminal.see("⚙ wait()")
  terminal.enter("/discard not needed")
  await terminal.see(
    /✓ resolve\(discard\)(?: [\d.]+s)?\n {2}Discard: Rename a\n {2}Reason: not needed\n[\s\S]*⚙ wait\(\).*\n\n›$/,
  )
})

test("resolve can be typed as any call", async () => {
  await using terminal = await openSession()
  terminal.enter("rename a b")
  await terminal.see(/\[1 pending: Rename a\] ›$/)
  terminal.enter('resolve {"action": "discard", "reason": "typed"}')
  await terminal.see(/ {2}Discard: Rename a\n {2}Reason: typed\n[\s\S]*\n\n›$/)
})

test("leaving names what was not applied", async () => {
  await using terminal = await openSession()
  terminal.enter("rename a b")
  await terminal.see(/\[1 pending: Rename a\] ›$/)
  terminal.control("d")
  await terminal.ended
  expect(terminal.screen()).toMatch(/\nNot applied: Rename a$/)
})
