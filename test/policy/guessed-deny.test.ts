// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholder is bash's
import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const explain = (allow: string, deny: string, command: string) =>
  ToolFilters.compile({ shell: { allow: [allow], deny: [deny] } }).explain(shell, { command })

describe("a command that some program may run for another one is asked where a deny rule matches it", () => {
  it("by one rule, however it is run", () => {
    const lines = [
      "npx npm publish",
      "npx npm@latest publish",
      "npx --yes npm publish",
      "npx -c 'npm publish'",
      "npx --call='npm publish'",
      "npm exec -- npm publish",
      "npm x -- npm publish",
      "corepack npm publish",
      "corepack npm@10 publish",
      "uv run npm publish",
      "uvx npm publish",
      "poetry run npm publish",
      "pnpm dlx npm publish",
      "pnpm exec npm publish",
      "yarn exec npm publish",
      "yarn dlx npm publish",
      "bunx npm publish",
      "hyperfine 'npm publish'",
      "hyperfine --runs 1 'npm  publish'",
      "docker run x npm publish",
      "docker run --rm -it x npm publish",
      "docker run x /usr/local/bin/npm publish",
      "docker run x npm --silent publish",
      'docker run x npm "$x"',
      "docker run x npm pub$x",
      "docker run x npm {publish,}",
      "docker exec c npm publish",
      "docker exec c sh -c 'npm publish'",
      "docker exec c sh -c 'cd x; npm --silent publish'",
      "docker exec -i c sh <<< 'npm publish'",
      "docker compose exec c npm publish",
      "podman run x npm publish",
      "kubectl exec p -- npm publish",
      "kubectl exec p -- sh -c \"npm 'publish'\"",
      "ssh host npm publish",
      "ssh host <<E\nnpm publish\nE",
      "zsh -c 'noglob npm publish'",
      "zsh -c 'noglob npm --silent publish'",
      "busybox sh -c 'npm publish'",
      "script -c 'npm publish' log",
      "watch 'npm publish'",
      "parallel npm publish ::: x",
      "ls | entr npm publish",
      "make -f - <<E\nall:\n\tnpm publish\nE",
      "printf 'all:\\n\\tnpm publish\\n' | make -f -",
      "unheard-of npm publish",
      "unheard-of a 'b; npm publish'",
      "unheard-of a 'b; noglob npm --silent publish'",
      "unheard-of a 'b; noglob \"npm $x\"'",
      "env unheard-of npm publish",
      "ls; (unheard-of npm publish)",
      'node -e \'require("child_process").execSync("npm publish")\'',
      "python3 -c \"import os; os.system('npm publish')\"",
      'echo "npm publish" | docker exec -i c sh',
      "npx $(echo npm publish)",
      "npx `echo npm publish`",
      "npx ${x:-npm publish}",
      'ruby -e \'system "npm", "publish"\'',
      'node -e \'execFileSync("npm", ["publish"])\'',
      "crontab - <<< '* * * * * npm publish'",
      "hyperfine -p'npm publish' ls",
      "make -f <(printf 'all:\\n\\tnpm publish\\n')",
    ]
    expect(lines.filter((command) => explain(".*", "^npm publish", command).verdict === "approve")).toEqual(
      [],
    )
  })

  it("by other rules", () => {
    const rows = [
      ["^(sudo )?npm publish", "npx npm publish"],
      ["^(npm|yarn) publish$", "npx yarn publish"],
      ["^npm pub", "npx npm publish"],
      ["^git push(?! --dry-run)", "npx git push origin"],
      ["touch\\s+PWN", "hyperfine \"touch 'P'WN\""],
      ["touch\\s+PWN", "unheard-of a ';' 'b; touch ./PWN'"],
      ["touch\\s+PWN", "unheard-of a '; touch ./PWN #'"],
      ["touch\\s+PWN", "unheard-of '2>(touch ./PWN)est'"],
      ["touch\\s+PWN", "unheard-of \"\\$(PWN)\"'touch ./PWN'"],
      ["^touch\\s+PWN", "unheard-of '2>(touch a/../PWN)est'"],
      ["^npm publish", "unheard-of '2>(/usr/bin/npm publish)est'"],
      ["^rm\\b", "docker run x rm -rf /"],
      ["^rm\\b", "npm exec rm x"],
      ["^rm\\b", "npm exec rm"],
      ["^rm\\b", "unheard-of 'rm;'"],
      ["^mkfs", "docker run x mkfs.ext4 y"],
    ] as const
    expect(rows.filter(([deny, command]) => explain(".*", deny, command).verdict === "approve")).toEqual([])
  })

  it.each([
    ["^git submodule foreach\\b", "git submodule foreach npm publish"],
    ["^git bisect run\\b", "git bisect run npm publish"],
    ["^git rebase -x\\b", "git rebase -x 'npm publish' main"],
    ["^rg --pre\\b", "rg --pre 'npm publish' x"],
  ])("also by an option that the allow rule %s names: %s", (allow, command) => {
    expect(explain(allow, "^npm test", command).verdict).toBe("approve")
    expect(explain(allow, "^npm publish", command).verdict).toBe("ask")
  })

  it("and says so", () => {
    expect(explain(".*", "^npm publish", "ls; docker run x npm publish")).toEqual({
      verdict: "ask",
      command: "docker run x npm publish",
      because: "The deny rule `^npm publish` matches what `docker run x npm publish` may run.",
    })
  })
})

describe("a deny rule is no question", () => {
  it("where the program runs nothing of its arguments", () => {
    const rows = [
      // what names other commands
      ["^npm publish", "npx npm test"],
      ["^npm publish", "npm run publish-docs"],
      ["^npm publish", "docker run x npm test"],
      ["^npm publish", "docker run --rm x ls -la"],
      ["^npm publish", "node x.js $y 'a b'"],
      ["^npm publish", 'echo "$x y"'],
      ["^npm publish", 'prettier --check src/*.ts "it\'s"'],
      // for what runs nothing that its operands name
      ["^npm publish", "grep -rn 'npm publish' docs"],
      ["^npm publish", 'git commit -m "Say how to npm publish"'],
      ["^npm publish", "git log --grep 'npm publish'"],
      ["^npm publish", "cat npm publish"],
      ["^npm publish", "echo 'npm publish'; npm test"],
      ["^rm\\b", "git rm x"],
      ["^rm\\b", "docker rm c"],
      ["^rm\\b", "kubectl rm c"],
      ["^rm\\b", "ls rm"],
      // for names that only begin as its command does
      ["^rm\\b", "npx vitest run test/rm.test.ts"],
      ["^rm\\b", "node dist/rm.js"],
      ["^rm\\b", "npm run rm-all"],
      // for a rule that says what it is not about
      ["^(?!npx|ls)", "npx eslint x; ls y"],
    ] as const
    expect(rows.filter(([deny, command]) => explain(".*", deny, command).verdict !== "approve")).toEqual([])
  })

  it("where a rule is the very line", () => {
    const filters = ToolFilters.compile({ shell: { deny: ["^npm publish"] } })
    const call = { command: "docker run x npm publish" }
    expect(filters.evaluate(shell, call)).toBeUndefined()
    expect(filters.remember(shell, call)).toBe(true)
    expect(filters.evaluate(shell, call)).toBe("approve")
  })

  it("however many operands there are", () => {
    const names = Array.from({ length: 3000 }, (_, index) => `src/${index}.ts`).join(" ")
    expect(explain("^prettier\\b", "^npm publish", `prettier ${names}`).verdict).toBe("approve")
    expect(explain("^prettier\\b", "^npm publish", `prettier ${names} npm publish`).verdict).toBe("ask")
  })
})
