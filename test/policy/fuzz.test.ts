// @module-tag waits
import { expect, it } from "vitest"
import { fuzz } from "./fuzz/fuzz.ts"
import { RealBash } from "./fuzz/real-bash.ts"
import { ruleSets } from "./fuzz/rule-sets.ts"

const lines: Readonly<Record<string, number>> = { narrow: 1500, wrapped: 200, denied: 200 }

it.each(ruleSets.map((ruleSet) => [ruleSet.name, ruleSet] as const))(
  "a real bash runs only what the rules approve, of random lines: %s",
  async (name, ruleSet) => {
    const round = await fuzz(ruleSet, { seed: 1, lines: lines[name]! })
    expect(round.findings).toEqual([])
    expect(round.approved).toBe(lines[name])
    expect(round.ran).toBeGreaterThan(round.approved / 10)
  },
  600_000,
)

it.each(["fork", "bash -c"] as const)("a line that waits for itself is ended: %s", async (mode) => {
  const { bash: options } = ruleSets.find(({ name }) => name === "wrapped")!
  const bash = new RealBash({ ...options, patience: 300 })
  try {
    const { ran } = await bash.run(["coproc xargs -I {} ls {} | xargs ls x\n! env -u x ls", "ls"], mode)
    expect(ran).toContainEqual({ line: 1, words: ["ls"] })
  } finally {
    bash.close()
  }
})

it.each(["fork", "bash -c"] as const)("a command is told of, however it is run: %s", async (mode) => {
  const bash = new RealBash(ruleSets.find(({ name }) => name === "wrapped")!.bash)
  try {
    const lines = [
      "CMD",
      "env CMD",
      "xargs CMD",
      "exec CMD",
      "command CMD",
      "eval CMD",
      "bash -c CMD",
      "sh -c CMD",
    ]
    lines.push("find . -exec CMD ';'", "x $(CMD)", "x <(CMD)")
    const { ran } = await bash.run([...lines, "env CMD 'a\nb'", "bash CMD"], mode)
    const told = (line: number) => ran.filter((each) => each.line === line && each.words[0] === "CMD")
    for (const line of lines.keys()) expect([lines[line], told(line).length]).toEqual([lines[line], 1])
    expect(told(lines.length)[0]?.words).toEqual(["CMD", "a\nb"])
    // A script for an interpreter, which runs none of the line's commands.
    expect(told(lines.length + 1)).toEqual([])
  } finally {
    bash.close()
  }
})
