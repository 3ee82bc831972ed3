// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are bash's
import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const allow = ["^(echo|printf|cat|tee|head|sqlite3|psql|mysql|dc|sftp|redis-cli|sort|true)\\b"]

const decide = (command: string, ...rules: ReadonlyArray<string>) =>
  ToolFilters.compile({ shell: { allow: rules.length > 0 ? rules : allow } }).evaluate(shell, { command })

it("a program that takes its input for commands is asked about what the line feeds it:", () => {
  const lines = [
    "echo '.shell x' | sqlite3 a.db",
    "echo '.shell x' | sqlite3 -batch a.db",
    "echo '.shell x' |& sqlite3 a.db",
    "echo -e '\\x2eshell x' | sqlite3 a.db",
    'echo "$x" | sqlite3 a.db',
    "printf '.shell x' | sqlite3 a.db",
    "sh -c \"echo '.tables' | sqlite3 a.db\"",
    "echo .tables > /dev/null | sqlite3 a.db",
    "cat f | sqlite3 a.db",
    "cat <<< '.shell x' | sqlite3 a.db",
    "echo '.shell x' | cat | sqlite3 a.db",
    "echo x | tee f | sqlite3 a.db",
    "sqlite3 a.db < f",
    "sqlite3 a.db 0< f",
    "sqlite3 a.db <&3",
    "sqlite3 a.db <<< .tables < f",
    "{ sqlite3 a.db; } < f",
    "{ sqlite3 a.db; } <<< '.shell x'",
    "( sqlite3 a.db ) < f",
    "while true; do psql; done < f",
    "if true; then psql; fi < f",
    "echo '\\\\! x' | { true; psql; }",
    "echo '!x' | dc",
    "cat f | mysql db",
    "cat f | env psql",
    "coproc psql",
    "sftp host <<< '!x'",
    "echo '!x' | sftp host",
    "redis-cli <<< 'config set dir /'",
    "cat f | redis-cli",
  ]
  expect(lines.filter((command) => decide(command) !== undefined)).toEqual([])
})

it("what is known to do nothing else is covered:", () => {
  const lines = [
    "echo 'select 1' | sqlite3 a.db",
    "echo .tables | sqlite3 a.db",
    "echo 'select 1' | psql",
    "cat <<'E' | psql\nselect 1;\nE",
    "psql -c 'select 1' | head",
    "sqlite3 a.db 'select 1' | sort",
    "cat f | sqlite3 a.db 'select 1'",
    "psql < /dev/null",
    "{ psql; } <<< 'select 1'",
    "psql <<< 'select 1'",
    "echo 'get a' | redis-cli",
    "cat f | sort",
    "sort < f",
  ]
  expect(lines.filter((command) => decide(command) !== "approve")).toEqual([])
})

describe("a rule that is a command speaks of nothing that the line makes of it:", () => {
  it("it is asked", () => {
    const rows = [
      ["^python3 -$", "python3 - <<'E'\nx()\nE"],
      ["^python3$", "python3 < f"],
      ["^node$", "node <<< 'x()'"],
      ["^node --input-type=module$", "echo 'x()' | node --input-type=module"],
      ["^docker exec -i c sh$", "docker exec -i c sh <<< 'rm x'"],
      ["^psql$", "psql <<< '\\! x'"],
      ["^rm \\$f$", "for f in /x; do rm $f; done"],
      ['^rm "\\$f"$', 'for f in /x; do rm "$f"; done'],
      ["^rm \\$f$", "for f in /x; do true; done; rm $f"],
      ["^rm \\$\\{f%\\.a\\}$", "for f in /x; do rm ${f%.a}; done"],
      ["^rm -rf \\$_$", "true /; rm -rf $_"],
    ] as const
    expect(rows.filter(([rule, command]) => decide(command, rule, "^(true|echo)\\b") !== undefined)).toEqual(
      [],
    )
  })

  it("but a rule for the command as it is written covers it", () => {
    const rows = [
      ["^python3 -m json\\.tool$", "echo '{}' | python3 -m json.tool"],
      ["^git commit -F -$", "git commit -F - <<'E'\nmessage\nE"],
      ["^wc -l$", "wc -l <<< x"],
      ["^ls \\$HOME$", "for f in a b; do ls $HOME; done"],
      ["^npm test$", "npm test < /dev/null"],
    ] as const
    expect(rows.filter(([rule, command]) => decide(command, rule, "^(true|echo)\\b") !== "approve")).toEqual(
      [],
    )
  })

  it("a rule that is the very line covers it", () => {
    const command = "for f in a b; do rm $f; done"
    expect(decide(command, "^for f in a b; do rm \\$f; done$")).toBe("approve")
  })
})
