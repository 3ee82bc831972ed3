import { describe, expect, it } from "vitest"
import { type PlacedRule, ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (
  command: string,
  allow: ReadonlyArray<string | PlacedRule>,
  deny: ReadonlyArray<string> = [],
) => ToolFilters.compile({ shell: { allow, deny } }).explain(shell, { command }).verdict

describe("a rule for one target of a build says nothing of another:", () => {
  it("it is asked", () => {
    const rows = [
      ["^make test\\b", "make test deploy"],
      ["^make test\\b", "make -j 8 test deploy"],
      ["^make test\\b", "make test -- deploy"],
      ["^make test\\b", "make test $x"],
      ["^gradle test\\b", "gradle test --info publish"],
      ["^./gradlew test\\b", "./gradlew test publish"],
      ["^mvn test\\b", "mvn test deploy"],
      ["^rake test\\b", "rake test release"],
      ["^make test\\b", `make test ${"x ".repeat(60)}`],
    ] as const
    expect(rows.filter(([rule, command]) => decide(command, [rule]) !== "ask")).toEqual([])
  })

  it("nor does one for another folder", () => {
    const elsewhere = { pattern: "^make lint\\b", workingDir: "/usr" }
    expect(decide("make test lint", ["^make test\\b", elsewhere])).toBe("ask")
  })

  it("but a rule for it covers it", () => {
    const rows = [
      [["^make\\b"], "make clean all"],
      [["^make test\\b"], "make test -j 8 -k"],
      [["^make test\\b", "^make lint\\b"], "make test lint"],
      [["^make test lint\\b"], "make test lint"],
      [["^make (test|lint)\\b"], "make lint test"],
      [["^gradle test\\b"], "gradle test --tests Name -x lint"],
      [["^mvn (clean|test)\\b"], "mvn clean test -q"],
      [["^npm run\\b"], "npm run build x y"],
      [["^gradle run\\b"], "gradle run --args 'a b'"],
      [["^gradle wrapper\\b"], "gradle wrapper --gradle-version 8.5"],
      [["^task test\\b"], "task test -- ./a ./b"],
    ] as const
    expect(rows.filter(([rules, command]) => decide(command, rules) !== "approve")).toEqual([])
  })
})

describe("a deny rule for a target holds among others:", () => {
  it.each([
    ["^make deploy\\b", "make test deploy", "deny"],
    ["^make deploy\\b", "make test deploy lint", "deny"],
    ["^gradle publish\\b", "gradle clean publish", "deny"],
    ["^mvn deploy\\b", "mvn -q clean deploy", "ask"],
    ["^make deploy\\b", `make ${"x ".repeat(60)}deploy`, "ask"],
    ["^make deploy\\b", "make test lint", "approve"],
  ])("%s: %s", (deny, command, verdict) => {
    expect(decide(command, ["^(make|gradle|mvn)\\b"], [deny])).toBe(verdict)
  })
})

describe("where a deny rule names an option, other ways to write it are asked:", () => {
  it.each([
    ["rm\\s+-rf", "rm -fr x"],
    ["rm\\s+-rf", "rm -r -f x"],
    ["rm\\s+-rf", "rm -rvf x"],
    ["rm\\s+-rf", "rm x -rf"],
    ["rm\\s+-rf", "/bin/rm -f x -r"],
    ["rm\\s+-rf", "rm --recursive --force x"],
    ["rm\\s+-rf", "find . -exec rm -fr {} +"],
    ["^git push --force\\b", "git push origin main --force"],
    ["^git push -f\\b", "git push origin -f"],
    ["^npm (i|install) -g\\b", "npm install x --global"],
    ["^git commit --no-verify\\b", "git commit -m x --no-verify"],
  ])("%s: %s", (deny, command) => {
    expect(decide(command, [".*", "^(npm install|rm) .*-"], [deny])).not.toBe("approve")
    expect(ToolFilters.compile({ shell: { deny: [deny] } }).explain(shell, { command }).because).toContain(
      `The deny rule \`${deny}\``,
    )
  })

  it("but nothing else is", () => {
    const rows = [
      ["rm\\s+-rf", "rm -f x"],
      ["rm\\s+-rf", "rm -- -fr"],
      ["rm\\s+-rf", "ls -fr"],
      ["^git push --force\\b", "git push origin --force-with-lease"],
      ["^git push --force\\b", "git log --force"],
      ["--no-verify\\b", "git commit -m x --no-edit"],
      ["^git push (-f|--force)\\b", "git push --follow-tags"],
      ["^find .*-exec\\b", "find . -maxdepth 1 -ctime -1"],
      ["^find .*-delete\\b", "find . -depth -type l -ls"],
    ] as const
    expect(
      rows.filter(
        ([deny, command]) =>
          decide(command, ["^(rm|ls|git|find)\\b", "^git commit .*--no-edit"], [deny]) !== "approve",
      ),
    ).toEqual([])
  })
})

describe("where a deny rule names a subcommand, other names of it are asked:", () => {
  it.each([
    ["^npm publish\\b", "npm publ"],
    ["^npm publish\\b", "npm pub --tag x"],
    ["^npm install\\b", "npm i x"],
    ["^npm install\\b", "npm add x"],
    ["^npm i\\b", "npm install x"],
    ["^npm run deploy\\b", "npm run-script deploy"],
    ["^npm run deploy\\b", "npm rum deploy"],
    ["^npm ci\\b", "npm install-clean"],
    ["\\bpublish\\b", "npm --loglevel silent publ"],
    ["^pnpm (remove|uninstall)\\b", "pnpm rm x"],
    ["^cargo run\\b", "cargo r"],
    ["^hg push\\b", "hg pus"],
    ["^svn commit\\b", "svn ci -m x"],
    ["^gem push\\b", "gem pu x"],
  ])("%s: %s", (deny, command) => {
    const filters = ToolFilters.compile({ shell: { allow: [".*"], deny: [deny] } })
    expect(filters.explain(shell, { command })).toEqual({
      verdict: "ask",
      command,
      because: `The deny rule \`${deny}\` may match \`${command}\`, for its subcommands may go by other names.`,
    })
  })

  it("but nothing else is", () => {
    const rows = [
      ["^npm publish\\b", "npm test"],
      ["^npm publish\\b", "npm run p"],
      ["^npm install\\b", "npm ci"],
      ["^npm (install|publish)", "npm ci --ignore-scripts"],
      ["^npm run build-release\\b", "npm run build"],
      ["^npm (publish|token)\\b", "npm t"],
      ["^npm init\\b", "npm i x"],
      ["\\binstall\\b", "npm run i"],
      ["^npm install\\b", "npm info x"],
      ["^cargo publish\\b", "cargo p"],
      ["^git push\\b", "git pu"],
    ] as const
    expect(
      rows.filter(([deny, command]) => decide(command, ["^(npm|cargo|git)\\b"], [deny]) !== "approve"),
    ).toEqual([])
  })
})
