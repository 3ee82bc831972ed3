/** The rules of Codex, translated: what is allowed here is allowed there, and what is forbidden there is denied here. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { importCodexRules, ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (text: string, command: string) =>
  ToolFilters.compile(importCodexRules(text).rules).evaluate(shell, { command }) ?? "ask"

const statuses = (text: string) =>
  importCodexRules(text).report.map(({ kind, status }) => `${kind} ${status}`)

const rules = `
# What may run.
prefix_rule(
    pattern = ["git", ["status", 'log']],  # either
    decision = "allow",
    justification = "It reads.",
    match = ["git status -s", ["git", "log"], "git 'log' -5"],
    not_match = ["git push", """git --no-pager log"""],
)
prefix_rule(pattern = ["cat"])
prefix_rule(pattern = ["git", "log", "--all"], decision = "prompt"); prefix_rule(["rm", "-rf"], "forbidden")
`

/** From https://developers.openai.com/codex/rules and the README of codex-rs/execpolicy. */
it("decide a line as Codex does, or ask", () => {
  const decided = {
    // A prefix is made of whole words; a list stands for either of its words.
    "git status": "approve",
    "git status -s": "approve",
    "git log -5": "approve",
    "git logs": "ask",
    "git -c a=b log": "ask",
    cat: "approve",
    // Of several rules the strictest counts.
    "git log --all": "ask",
    "git log --all -5": "ask",
    "rm -rf x": "deny",
    "/bin/rm -rf x": "deny",
    // Lines of plain words are decided part by part.
    "git status && cat a": "approve",
    "cat a | rm -rf b": "deny",
    "cat a; make": "ask",
    // Any other is decided as a whole, which no rule allows.
    "cat a > b": "ask",
    "cat < a": "ask",
    "cat a 2>&1": "ask",
    "cat $HOME": "ask",
    "cat *.ts": "ask",
    "cat $(cat a)": "ask",
    "A=b cat a": "ask",
    "set -e; cat a": "ask",
    "for f in a b; do cat a; done": "ask",
    "(cat a)": "ask",
    "cat a &": "ask",
    "/usr/bin/git status": "ask",
    "timeout 3 git status": "ask",
  }
  const here = Object.keys(decided).map((command) => [command, decide(rules, command)])
  expect(Object.fromEntries(here)).toEqual(decided)
  expect(statuses(rules)).toEqual(["allow narrower", "allow narrower", "ask asked", "deny same"])
})

it("allow nothing beside what is not followed, for it may forbid something", () => {
  const others = [
    'words = ["rm"]',
    'for word in ["rm"]:\n    prefix_rule(pattern = [word], decision = "forbidden")\n\n',
    'def f():\n  # x\n  prefix_rule(pattern = ["rm"], decision = "forbidden")\n',
    'prefix_rule(pattern = ["rm"] + words, decision = "forbidden")',
    'prefix_rule(pattern = ["r" "m"], decision = "forbidden")',
    'prefix_rule(pattern = ["\\x72m"], decision = "forbidden")',
    'prefix_rule(pattern = ["rm"], decision = "never")',
    'prefix_rule(pattern = ["rm"], decision = "forbidden", scope = "all")',
    "prefix_rule(pattern = [])",
    '  prefix_rule(pattern = ["rm"], decision = "forbidden")',
    'load("other.rules", "rules")',
    '[prefix_rule(pattern = ["rm"], decision = "forbidden")]',
    'prefix_rule(pattern = ["rm"',
  ]
  for (const other of others) {
    for (const text of [
      `${other}\nprefix_rule(pattern = ["cat"])`,
      `prefix_rule(pattern = ["cat"])\n${other}`,
    ]) {
      expect([text, decide(text, "cat a")]).toEqual([text, "ask"])
    }
  }
  const { report } = importCodexRules(`x = 1\nprefix_rule(pattern = ["cat"])`)
  expect(report[1]!.because).toBe("What `x = 1` takes from it cannot be told, so all of it is asked.")
})

it("leave out what Codex refuses, and words that would have to be quoted", () => {
  expect(statuses('prefix_rule(pattern = ["npm", "test"], match = ["npm run"])')).toEqual(["allow dropped"])
  expect(statuses('prefix_rule(pattern = ["npm", "test"], not_match = ["npm test x"])')).toEqual([
    "allow dropped",
  ])
  expect(statuses('prefix_rule(pattern = ["echo", "a b"])')).toEqual(["allow asked"])
  expect(statuses('host_executable(name = "git", paths = ["/usr/bin/git"])')).toEqual(["allow dropped"])
  expect(decide('prefix_rule(pattern = ["echo", "a b"], decision = "forbidden")', "echo 'a b' c")).toBe(
    "deny",
  )
  expect(statuses("")).toEqual([])
  expect(() => importCodexRules(undefined as unknown as string)).toThrow(
    new TypeError("Expected the rules to be a text, got undefined"),
  )
})

it("are never decided wider than there", () => {
  const word = fc.constantFrom("git", "log", "cat", "-n", "a", "rm")
  const pattern = fc.array(
    fc.oneof(
      word.map((text) => [text]),
      fc.uniqueArray(word, { minLength: 2, maxLength: 2 }),
    ),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  const rule = fc.record({ pattern, decision: fc.constantFrom("allow", "prompt", "forbidden") })
  const command = fc.array(word, { minLength: 1, maxLength: 4 })
  const odd = fc.constantFrom("", "", " > a", " < a", " &", " $x")
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 4 }),
      fc.array(command, { minLength: 1, maxLength: 3 }),
      odd,
      (list, commands, end) => {
        const text = list.map(
          (each) => `prefix_rule(pattern = ${JSON.stringify(each.pattern)}, decision = "${each.decision}")`,
        )
        const verdict = decide(text.join("\n"), commands.map((words) => words.join(" ")).join(" && ") + end)
        const found = commands.map((words) =>
          list
            .filter(({ pattern }) => pattern.every((texts, at) => texts.includes(words[at]!)))
            .map(({ decision }) => decision),
        )
        if (end === "" && found.flat().includes("forbidden")) expect(verdict).toBe("deny")
        const isAllowed =
          end === "" && found.every((each) => each.length > 0 && each.every((one) => one === "allow"))
        if (!isAllowed) expect(verdict).not.toBe("approve")
      },
    ),
    { numRuns: 600 },
  )
})
