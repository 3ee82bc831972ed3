// @module-tag waits
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholder is bash's
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "policy-bash-"))
  mkdirSync(join(root, "bin"))
  mkdirSync(join(root, "cwd"))
  const program = (name: string, body: string) => {
    writeFileSync(join(root, "bin", name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(root, "bin", name), 0o755)
  }
  program("ls", "exit 1")
  program("rm", `echo ran >> '${root}/ran'`)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const pieces =
  "ls§ls§ls§rm x§;§&&§||§|§|&§&§!§(§)§{§}§'§\"§\\§`§$(§<(§$'§\\x27§${x:-§$((§))§\n§\n§#§<<E§E§<<'E'§>§>&§2>&1§<§rm§x§a[§]§=§" +
  "if§then§else§fi§for x in§do§done§case x in§x)§;;§esac§[[§]]§-n§eval§env§time§coproc§ls()§function ls§x=§$x§-rf§,§\t"

it("a real bash runs nothing but ls for a line that is approved, and writes nothing", () => {
  const filters = ToolFilters.compile({ shell: { allow: ["^ls\\b"] } })
  const line = fc
    .array(fc.tuple(fc.constantFrom(...pieces.split("§")), fc.constantFrom("", " ", " ")), { maxLength: 14 })
    .map((parts) => parts.flat().join(""))
  let ran = 0
  fc.assert(
    fc.property(line, (command) => {
      if (filters.evaluate(shell, { command }) !== "approve") return
      ran += 1
      spawnSync("bash", ["-c", command], {
        cwd: join(root, "cwd"),
        env: { PATH: join(root, "bin") },
        stdio: "ignore",
        timeout: 10_000,
      })
      expect(existsSync(join(root, "ran"))).toBe(false)
      expect(readdirSync(join(root, "cwd"))).toEqual([])
    }),
    { numRuns: 20_000 },
  )
  expect(ran).toBeGreaterThan(50)
}, 120_000)
