/** The machine with one mistake each, made in its source. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Transition } from "./explored-world.ts"

export interface Mutant {
  readonly mistake: string
  readonly file: (typeof copied)[number]
  readonly from: string
  readonly to: string
}

const mutant = (mistake: string, file: Mutant["file"], from: string, to: string): Mutant => ({
  mistake,
  file,
  from,
  to,
})

export const mutants: ReadonlyArray<Mutant> = [
  mutant("skips a finally handler", "cleaning", "cleanPart(call, part + 1,", "cleanPart(call, part + 2,"),
  mutant(
    "skips the cleanup",
    "cleaning",
    "if (call.finals.length === 0) return",
    "if (call.finals.length < 9) return",
  ),
  mutant("cleans up twice", "cleaning", "cleanPart(call, part + 1,", "cleanPart(call, part,"),
  mutant("keeps a place", "cleaning", "out.push(commands.releasePlace)", "void out"),
  mutant(
    "keeps a late answer to a finally handler",
    "cleaning",
    "if (question?.id !== id) return false",
    "if (question === undefined) return false",
  ),
  mutant(
    "takes a finally generator into the next attempt",
    "cleaning",
    "  call.more = false\n  if (part ===",
    "  if (part ===",
  ),
  mutant("passes a gate twice", "running", "call.passed += 1\n  // A gate", "call.passed += 2\n  // A gate"),
  mutant("skips a part", "running", "call.at += 1\n  call.attempts", "call.at += 2\n  call.attempts"),
  mutant(
    "passes a gate that nobody opened",
    "running",
    "call.passed < call.decided ||",
    "call.passed <= call.decided ||",
  ),
  mutant(
    "passes a person's gate by what the call says",
    "running",
    ' === "approve" && !person)',
    ' === "approve")',
  ),
  mutant(
    "takes the host's answer before the reviewers'",
    "transition",
    'if (question.kind !== "approval" || !question.isAsked || !isOpen(call, id)) return false\n    if (isEdited)',
    'if (question.kind !== "approval" || !isOpen(call, id)) return false\n    if (isEdited)',
  ),
  mutant(
    "runs without a place",
    "running",
    "if (takesPlace(call, out)) out.push(commands.run)",
    "takesPlace(call, out)\n  out.push(commands.run)",
  ),
  mutant(
    "loses an action that failed",
    "acting",
    'releaseAction(call, "RestoreAction", out)\n  return failureText',
    "call.action = undefined\n  return failureText",
  ),
  mutant(
    "settles an action twice",
    "acting",
    "out.push({ _tag, action: call.action! })",
    "out.push({ _tag, action: call.action! })\n  out.push({ _tag, action: call.action! })",
  ),
  mutant("interrupts nothing", "running", "out.push(commands.interrupt)", "void out"),
  mutant(
    "keeps a late step",
    "transition",
    "if (run !== call.run) return false\n    call.reply = undefined\n    call.more = more\n    apply",
    "call.reply = undefined\n    call.more = more\n    apply",
  ),
  mutant(
    "keeps a late answer",
    "transition",
    'if (questionOf(call).kind !== "delegate" || !isOpen(call, id)) return false\n    if (by !== undefined) namedBy(call, by)\n    answered(call, { _tag: "Output"',
    'if (questionOf(call).kind !== "delegate") return false\n    if (by !== undefined) namedBy(call, by)\n    answered(call, { _tag: "Output"',
  ),
  mutant(
    "runs again after a cancel",
    "transition",
    "call.state = { ...state, then: endWith(outcome) }",
    "void outcome",
  ),
  mutant(
    "gives its turn away early",
    "transition",
    "out.push(commands.tellStarted)",
    "out.push(commands.tellStarted)\n      out.push(commands.leaveLane)",
  ),
  mutant("tells its start twice", "transition", "if (!call.started) {", "if (call.run >= 0) {"),
  mutant(
    "tells its end twice",
    "transition",
    "Judged: (call, _input, out) => {",
    "Judged: (call, _input, out) => {\n    out.push(commands.tellEnd)",
  ),
  mutant(
    "loses a place that comes while a gate is decided",
    "transition",
    'if (call.place !== "asked") return false\n    call.place = "held"\n    return true',
    "if (call.run >= 0) return false\n    return true",
  ),
]

const folder = fileURLToPath(new URL("../../../src/pipeline/call/", import.meta.url))
const copied = ["transition", "running", "cleaning", "acting"] as const

/** Writes the mutant's source to a folder, and gives its `transition`. */
export const transitionOf = async (
  { mistake, file, from, to }: Mutant,
  into: string,
): Promise<Transition> => {
  for (const name of copied) {
    let source = readFileSync(join(folder, `${name}.ts`), "utf8")
    if (name === file) {
      if (source.split(from).length !== 2) throw new Error(`"${mistake}" does not fit the source of ${name}`)
      source = source.replace(from, () => to)
    }
    const moved = source.replace(/from "(\.[^"]+)"/g, (whole, path: string) => {
      const isCopied = copied.some((other) => path === `./${other}.ts`)
      return isCopied ? whole : `from "${join(folder, path)}"`
    })
    writeFileSync(join(into, `${name}.ts`), moved)
  }
  const mutated = (await import(/* @vite-ignore */ join(into, "transition.ts"))) as {
    readonly transition: Transition
  }
  return mutated.transition
}
