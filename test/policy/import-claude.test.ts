/** The permissions of Claude Code, translated: what is allowed here is allowed there, and what is denied there is denied here. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ImportedRule, importClaudeSettings, ToolFilters } from "../../src/policy/index.ts"

const shell = {
  name: "shell",
  primaryParam: "command",
  primaryKind: "command",
  workingDirParam: "working_dir",
} as const
const fileTool = (name: string) => ({ name, primaryParam: "path", primaryKind: "path" }) as const
const urlTool = (name: string) => ({ name, primaryParam: "url", primaryKind: "text" }) as const

type Lists = Readonly<Partial<Record<ImportedRule["kind"], ReadonlyArray<unknown>>>>

const importOf = (permissions: Lists, root?: string) =>
  importClaudeSettings(JSON.stringify({ permissions }), {
    home: "/home/me",
    ...(root !== undefined && { root }),
  })

const filtersOf = (permissions: Lists, root?: string) =>
  ToolFilters.compile(importOf(permissions, root).rules, { cwd: "/work" })

const statusOf = (kind: ImportedRule["kind"], rule: unknown) => {
  const { report } = importOf({ [kind]: [rule] })
  return report.map(({ status }) => status).join()
}

/**
 * What Claude Code decides by its documentation (https://code.claude.com/docs/en/permissions), a section each.
 * `ask` also stands for what the documentation leaves open.
 */
const facts: ReadonlyArray<
  [section: string, Lists, decided: Readonly<Record<string, "allow" | "ask" | "deny">>]
> = [
  [
    "Use specifiers: a rule without a star is the exact command",
    { allow: ["Bash(npm run build)"] },
    { "npm run build": "allow", "npm run build x": "ask", "npm run builds": "ask", "npm run": "ask" },
  ],
  [
    "Wildcard patterns: `:*` is a star behind a blank, which ends a word",
    { allow: ["Bash(npm run test:*)", "Bash(ls *)"] },
    {
      "npm run test": "allow",
      "npm run test --watch": "allow",
      "npm run testx": "ask",
      "npm run test:unit": "ask",
      "ls -la": "allow",
      lsof: "ask",
    },
  ],
  ["Bash: a star within a word", { allow: ["Bash(ls*)"] }, { "ls -la": "allow", lsof: "allow" }],
  [
    "Bash: a star may be anywhere, and spans words",
    { allow: ["Bash(git * main)", "Bash(* install)"] },
    {
      "git push origin main": "allow",
      "git merge main": "allow",
      "git main": "ask",
      "npm install": "allow",
      "npm install x": "ask",
    },
  ],
  [
    "Compound commands: each has to match",
    { allow: ["Bash(npm test *)"] },
    {
      "npm test && npm test a": "allow",
      "npm test && rm x": "ask",
      "npm test; rm x": "ask",
      "npm test | tee x": "ask",
      "npm test || rm x": "ask",
      "npm test & rm x": "ask",
      "npm test\nrm x": "ask",
      "set -e; npm test": "ask",
      "for f in a b; do npm test; done": "ask",
      "(npm test)": "ask",
      "npm test $(rm x)": "ask",
    },
  ],
  [
    "Manage permissions: deny, then ask, then allow",
    {
      allow: ["Bash(git *)", "Bash(aws s3 ls)"],
      ask: ["Bash(git push *)"],
      deny: ["Bash(aws *)", "Bash(git push --force *)"],
    },
    {
      "git status": "allow",
      "git push": "ask",
      "git push origin": "ask",
      "git push --force": "deny",
      "git push --force x": "deny",
      "aws s3 ls": "deny",
      "git status && git push x": "ask",
    },
  ],
  [
    "Wrappers: a deny rule holds behind them, and behind assignments",
    { allow: ["Bash"], deny: ["Bash(rm *)"] },
    {
      "timeout 3 rm x": "deny",
      "FOO=bar rm -rf tmp": "deny",
      "nice rm x": "deny",
      "command rm x": "deny",
      "ls | xargs rm": "deny",
    },
  ],
  [
    "Wrappers: programs that run another, and `find` that does, are asked",
    { allow: ["Bash(watch *)", "Bash(find *)", "Bash(cat *)", "Bash(* x)"] },
    {
      "find . -name a": "allow",
      "find . -delete": "ask",
      "find . -exec cat a +": "ask",
      "watch cat a": "ask",
      "watch cat x": "ask",
      "flock a cat x": "ask",
    },
  ],
  [
    "Redirections: the target is another question",
    { allow: ["Bash(git commit *)", "Bash(cat *)"] },
    { "git commit -m a": "allow", "git commit -m a > out.txt": "ask", "cat a > b": "ask", "cat < a": "ask" },
  ],
  [
    "Critical paths: a removal is asked",
    { allow: ["Bash(rm *)"] },
    { "rm a": "allow", "rm -rf /": "ask", "rm -rf ~": "ask", "rm -rf ..": "ask", "rm -r '/etc'": "ask" },
  ],
  [
    "Match by input parameter: `command` is no such parameter",
    { allow: ["Bash"], deny: ["Bash(run_in_background:true)"] },
    { ls: "ask", "rm x": "ask" },
  ],
  [
    "Read and Edit: a deny rule holds for file commands too",
    {
      allow: ["Bash(cat *)", "Bash(head *)", "Bash(sed *)", "Bash(npm run *)"],
      deny: ["Read(./.env)", "Read(secrets/**)", "Edit(gen/**)", "Read(./build)"],
    },
    {
      "cat a": "allow",
      "cat .env": "deny",
      "cat < .env": "deny",
      "cat .en*": "ask",
      "cat .e''nv": "deny",
      "cat ./.env": "deny",
      "cat sub/.env": "deny",
      "head -n5 .env": "deny",
      "cat .env.example": "allow",
      "cat secrets/key": "deny",
      "cd secrets && cat key": "deny",
      "cat 'a|b' secrets": "deny",
      "sed -i s/a/b/ gen/x": "deny",
      "echo x > gen/x": "deny",
      "cat build/x": "deny",
      "npm run build": "allow",
      "for f in .env; do cat $f; done": "deny",
      "set -e; cat .env": "deny",
    },
  ],
]

const stricter = { allow: 0, ask: 1, deny: 2 } as const
const verdictOf = { approve: "allow", deny: "deny" } as const

describe("commands", () => {
  it.each(facts)("%s", (_, permissions, decided) => {
    const filters = filtersOf(permissions)
    const wider = Object.entries(decided).flatMap(([command, there]) => {
      const verdict = filters.evaluate(shell, { command })
      const here = verdict === undefined ? "ask" : verdictOf[verdict]
      // What is asked here though it is allowed there would make the table worthless.
      const isRight = there === "allow" ? here === "allow" : stricter[here] >= stricter[there]
      return isRight ? [] : [`${command}: ${here}, and ${there} there`]
    })
    expect(wider).toEqual([])
  })

  // A model of what the documentation says of plain lines: commands by their joints, and stars.
  const words = fc.constantFrom("git", "push", "npm", "run", "test", "rm", "-f", "a.txt", "find", "x")
  const command = fc.array(words, { minLength: 1, maxLength: 4 }).map((list) => list.join(" "))
  const star = fc.constantFrom("", "", " *", "*", ":*")
  const rule = fc.oneof(
    fc.tuple(command, star).map(([text, end]) => text + end),
    fc.tuple(command, command).map(([one, other]) => `${one} * ${other}`),
    command.map((text) => `* ${text}`),
  )
  const list = fc.array(rule, { maxLength: 3 })
  const joint = fc.constantFrom(" && ", " || ", "; ", " | ")
  const line = fc
    .tuple(command, fc.array(fc.tuple(joint, command), { maxLength: 2 }))
    .map(([first, others]) => [first, others] as const)
  const odd = fc.constantFrom(
    (text: string) => `${text} > out`,
    (text: string) => `${text} < in`,
    (text: string) => `set -e; ${text}`,
    (text: string) => `for f in a b; do ${text}; done`,
    (text: string) => `(${text})`,
    (text: string) => `${text} &`,
    (text: string) => `${text} $x`,
    (text: string) => `${text} *`,
    (text: string) => `echo $(${text})`,
    (text: string) => `PATH=. ${text}`,
  )

  const matches = (pattern: string, text: string): boolean => {
    const glob = pattern.replace(/:\*$/, " *")
    const escaped = (part: string) => part.replace(/[^\w ]/g, "\\$&")
    const [, prefix] = /^([^*]*) \*$/.exec(glob) ?? []
    const regex = prefix === undefined ? glob.split("*").map(escaped).join(".*") : `${escaped(prefix)}( .*)?`
    return new RegExp(`^${regex}$`).test(text)
  }

  it("are never decided wider than there", () => {
    fc.assert(
      fc.property(list, list, list, line, fc.option(odd), (allow, ask, deny, [first, others], wrap) => {
        const named = (rules: ReadonlyArray<string>) => rules.map((each) => `Bash(${each})`)
        const filters = filtersOf({ allow: named(allow), ask: named(ask), deny: named(deny) })
        const parts = [first, ...others.map(([, text]) => text)]
        const text = first + others.map(([mark, other]) => mark + other).join("")
        const verdict = filters.evaluate(shell, { command: wrap === null ? text : wrap(text) })
        const isAny = (rules: ReadonlyArray<string>) => (part: string) =>
          rules.some((each) => matches(each, part))
        if (parts.some(isAny(deny)) && wrap === null) expect(verdict).toBe("deny")
        const isAllowed = wrap === null && parts.every(isAny(allow)) && !parts.some(isAny([...ask, ...deny]))
        if (!isAllowed) expect(verdict).not.toBe("approve")
      }),
      { numRuns: 600 },
    )
  })
})

describe("files", () => {
  const evaluate = (permissions: Lists, tool: string, paths: ReadonlyArray<string>, root?: string) => {
    const filters = filtersOf(permissions, root)
    return paths.map((path) => filters.evaluate(fileTool(tool), { path }) ?? "ask").join(" ")
  }

  it("are denied to all that read, at any depth where they are named alone", () => {
    const permissions = {
      deny: ["Read(.env)", "Read(secrets/**)", "Read(a/b/**)", "Read(//etc/**)", "Read(~/.ssh/**)"],
    }
    const paths = [
      ".env",
      "sub/.env",
      ".env/x",
      "a.env",
      "secrets/k",
      "sub/secrets/k",
      "a/b/c",
      "x/a/b/c",
      "/etc/passwd",
      "/home/me/.ssh/id",
    ]
    for (const tool of ["read_file", "open_file", "ast_grep", "edit_file", "write_file", "ast_edit"]) {
      expect(evaluate(permissions, tool, paths)).toBe("deny deny deny ask deny deny deny ask deny deny")
    }
  })

  it("are allowed to be changed in their folder alone, but for hidden ones", () => {
    const permissions = {
      allow: ["Edit(src/**)", "Edit(docs/a.md)", "Edit(//tmp/x/*.txt)", "Edit(.github/**)"],
    }
    const paths = [
      "src/a.ts",
      "src/b/c.ts",
      "sub/src/a.ts",
      "../src/a.ts",
      "/etc/src/a.ts",
      "src/../x",
      "src/.env",
      "docs/a.md",
      "docs/b.md",
      "/tmp/x/a.txt",
      "/tmp/x/y/a.txt",
      ".github/a.yml",
      ".github/.git/x",
    ]
    const expected = "approve approve ask ask ask ask ask approve ask approve ask approve ask"
    for (const tool of ["edit_file", "write_file"]) expect(evaluate(permissions, tool, paths)).toBe(expected)
    expect(evaluate(permissions, "ast_edit", ["src/a.ts"])).toBe("ask")
  })

  it("begin where the settings lie, where that is known", () => {
    const allow = { allow: ["Edit(/src/**)"] }
    expect(evaluate(allow, "edit_file", ["src/a"])).toBe("ask")
    expect(importOf(allow).report).toMatchObject([{ status: "asked" }])
    expect(evaluate(allow, "edit_file", ["src/a", "/other/src/a"], "/work")).toBe("approve ask")
    expect(evaluate({ deny: ["Read(/src/**)"] }, "read_file", ["src/a", "/other/src/a"])).toBe("deny deny")
  })

  it("are asked in spite of an allow rule, and denied to what asks nobody", () => {
    const permissions = { allow: ["Edit(src/**)"], ask: ["Edit(src/db/**)", "Read(notes/**)"] }
    expect(evaluate(permissions, "edit_file", ["src/a", "src/db/a"])).toBe("approve ask")
    expect(evaluate(permissions, "read_file", ["notes/a", "src/a"])).toBe("deny ask")
  })

  it("are taken for those of Edit and Read where Claude Code ignores a rule", () => {
    expect(statusOf("allow", "Write(src/**)")).toBe("dropped")
    expect(evaluate({ deny: ["Write(src/**)"] }, "edit_file", ["src/a"])).toBe("deny")
    expect(evaluate({ deny: ["Glob(src/**)"] }, "read_file", ["src/a"])).toBe("deny")
  })
})

it("addresses are allowed by their host, as they are written and as they are fetched", () => {
  const filters = filtersOf({
    allow: ["WebFetch(domain:example.com)", "WebFetch(domain:*.docs.org)", "WebFetch(domain:b.*)"],
    deny: ["WebFetch(domain:evil.com)", "WebFetch(domain:bücher.de)"],
  })
  const verdicts = {
    "https://example.com": "approve",
    "http://example.com:8080/a?b#c": "approve",
    "https://example.com./": "approve",
    "https://www.example.com/": undefined,
    "https://example.com.evil.org/": undefined,
    "https://example.com@evil.org/": undefined,
    "https://evil.org/#https://example.com/": undefined,
    "https://a.b.docs.org/": "approve",
    "https://docs.org/": undefined,
    "https://b.org/": "approve",
    "https://b.evil.org/": undefined,
    "https://evil.com/": "deny",
    "HTTPS://EVIL.COM/a": "deny",
    "https://me@evil.com:1/": "deny",
    "https://xn--bcher-kva.de/": "deny",
    "https://bücher.de/": "deny",
  }
  for (const [url, verdict] of Object.entries(verdicts)) {
    expect([url, filters.evaluate(urlTool("fetch_url"), { url })]).toEqual([url, verdict])
    if (verdict === "approve") expect(filters.evaluate(urlTool("fetch_html"), { url })).toBeUndefined()
    if (verdict === "deny") expect(filters.evaluate(urlTool("fetch_html"), { url })).toBe("deny")
  }
})

it("says of each rule what became of it", () => {
  const { report } = importOf({
    allow: [
      "Bash(npm run build)",
      "Bash(npm run *)",
      "Bash(git push *)",
      "mcp__github__get_issue",
      "mcp__github",
      "TodoWrite",
      "B*",
      "Bash(",
      5,
      "Bash(a && b)",
    ],
    ask: ["Bash(git *)"],
    deny: ["Bash(curl *)", "mcp__x__drop", "mcp__*", "Read"],
  })
  expect(report.map(({ kind, status, source }) => `${kind} ${source}: ${status}`)).toEqual([
    "deny Bash(curl *): same",
    "deny mcp__x__drop: same",
    "deny mcp__*: same",
    "deny Read: same",
    "ask Bash(git *): asked",
    "allow Bash(npm run build): same",
    "allow Bash(npm run *): narrower",
    "allow Bash(git push *): asked",
    "allow mcp__github__get_issue: asked",
    "allow mcp__github: asked",
    "allow TodoWrite: dropped",
    "allow B*: dropped",
    "allow Bash(: dropped",
    "allow 5: dropped",
    "allow Bash(a && b): asked",
  ])
  for (const { status, because } of report) expect(because === undefined).toBe(status === "same")
  expect(report[7]!.because).toBe("`Bash(git *)` asks about all of it.")
})

it.each([
  ["[", /^The settings are no JSON: /],
  ["[]", "Expected the settings to be an object with `permissions`"],
  ['{"permissions":[]}', "Expected `permissions` of the settings to be an object"],
  ['{"permissions":{"allow":"Bash"}}', "Expected `permissions.allow` to be an array of rules"],
])("refuses %s", (text, message) => {
  expect(() => importClaudeSettings(text)).toThrow(message)
})
