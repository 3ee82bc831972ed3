import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const explain = (command: string, ...allow: ReadonlyArray<string>) =>
  ToolFilters.compile({ shell: { allow } }).explain(shell, { command })

/** A rule for the name of the program. */
const byName = (command: string) => explain(command, `^${/^\S+/.exec(command)![0]}\\b`)

describe("of a program that no table knows, words behind the match are asked:", () => {
  it("whatever they are", () => {
    const lines = [
      "hyperfine 'rm x'",
      "mise exec -- rm x",
      "direnv exec . rm x",
      "zig run x",
      "meson test --wrapper ./t.sh",
      "./ls x",
      "bin/git status",
      "nix-shell --run 'rm x'",
      "vagrant ssh -c x",
      "npx rm x",
      "npx --yes evil eslint",
      "npx --yes evil",
      "npm exec -- rm x",
      "npm x y",
      "npm exec",
      "conda remove --all x",
      "conda install x eslint",
      "mise trust tool",
      "npm create x",
      "npm init x",
      "npm explore x -- rm y",
      "pnpm dlx x",
      "pnpm --silent dlx x",
      "pnpm -r exec rm x",
      "yarn dlx x",
      "yarn create x",
      "bunx x",
      "uvx x",
      "uv run rm x",
      "uv run git push",
      "poetry run x",
      "bundle exec x",
      "cross-env A=b rm x",
      "cross-env PATH=. tsc",
      "cross-env NODE_OPTIONS=-r=./x vitest",
      "npx 5 x",
      "npm x",
      "npm exe x",
      "npm cr x",
      "npm create eslint",
      "npm explore eslint rm x",
      "uv run - pytest",
      "c8 rm x",
    ]
    expect(lines.filter((command) => byName(command).verdict !== "ask")).toEqual([])
    expect(explain("meson test --wrapper ./t.sh", "^meson test\\b").verdict).toBe("ask")
    expect(explain("npx cowsay x", "^npx cowsay\\b").verdict).toBe("ask")
  })

  it("unless the pattern reaches the end, or what is run is known and named", () => {
    const rows = [
      ["^hyperfine( .*)?$", "hyperfine 'rm x'"],
      ["^meson (test|test -v)\\b", "meson test -v"],
      ["^meson test\\b", "meson test"],
      ["^(meson|ninja).*", "meson test x"],
      ["^npx cowsay( .*)?$", "npx cowsay x"],
      ["^npx (-y )?tsc\\b", "npx -y tsc --noEmit"],
      ["^uv run git\\b", "uv run git status"],
      ["^uv run\\b", "uv run --python 3.12 pytest"],
      ["^cross-env\\b", "cross-env CI=1 NODE_ENV=test vitest"],
      ["^npm\\b", "npm run-script x"],
      ["^/usr/bin/ls\\b", "/usr/bin/ls -l"],
      ["^\\./gradlew test\\b", "./gradlew test --info"],
      ["^\\./ls x\\b", "./ls x"],
    ] as const
    expect(rows.filter(([allow, command]) => explain(command, allow).verdict !== "approve")).toEqual([])
  })

  it.each([
    ["hyperfine -w 3 'rm x'", "^hyperfine\\b", "-w", "^hyperfine( .*)?$"],
    ["meson test -C b", "^meson test\\b", "-C", "^meson test( .*)?$"],
    ["npm exec -- rm x", "^npm\\b", "rm", "^npm exec -- rm( .*)?$"],
    ["foo 'a\nb'", "^foo\\b", "a\nb", "^foo( [^]*)?$"],
  ])("with the word, and a rule that covers it: %j", (command, allow, word, wider) => {
    const program = command.split(" ")[0]
    expect(explain(command, allow).because).toBe(
      `The allow rule \`${allow}\` does not reach \`${word}\`, and what that is to \`${program}\` no table knows; \`${wider}\` would cover it.`,
    )
    expect(explain(command, wider).verdict).toBe("approve")
  })
})

it("an allow rule that matches from the middle of a command on says so", () => {
  expect(explain("touch PWN tail", "^head|tail|wc|sort").because).toBe(
    "The allow rule `^head|tail|wc|sort` does not match `touch PWN tail` from its first word on.",
  )
})
