// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are bash's
import { describe, expect, it } from "vitest"
import { understand } from "../../src/policy/grammar.ts"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (allow: ReadonlyArray<string>, command: string, deny: ReadonlyArray<string> = []) =>
  ToolFilters.compile({ shell: { allow, deny } }).evaluate(shell, { command })

it("a line that bash reads otherwise than a parser is asked, whatever is allowed", () => {
  const lines = [
    // a descriptor stuck to a process substitution
    "ls 2>(CMD)",
    "ls 0<(CMD)",
    "ls {fd}>(CMD)",
    "ls a<(CMD)",
    "ls <(ls)x",
    // a continuation within a token
    "$\\\n'\\''; CMD\n'",
    "ls $\\\n{x@P}",
    "l\\\ns",
    "ls \\\nx",
    "ls\\\n x",
    'ls "a\\\nb"',
    "ls <<\\\n-E\nE\n-E\nCMD",
    "ls # x \\\n",
    // quotes inside an expansion within quotes or a here-document
    "ls \"${x:-$'$(CMD)'}\"",
    "ls \"${x:-'$(ls)'}\"",
    'ls "${x:-"y"}"',
    "ls <<E\n${x:-'$(CMD)'}\nE",
    "ls ${x:-'y'}",
    // a here-document's delimiter
    "ls <<$'E\\x{46'\nx\nE",
    'ls <<"$(CMD)"\nx\n$(CMD)',
    "ls <<E'F'\nx\nEF",
    "ls <<\\E\nx\nE",
    "ls <<E\nx\nEx\nE",
    "ls <<E\nx",
    "ls $(cat <<E)\nx\nE",
    "ls <<E 'a\nb'\nx\nE",
    "ls <<E <<F\nE\nF",
    "ls <<E\na\\\nE\nE",
    // escapes
    "ls $'\\x{41}'",
    "ls $'\\0'",
    "ls $'\\cx'",
    "ls $'\\xff'",
    'ls $"x"',
    // words that hold what ends them
    "ls a>b",
    "ls a(b)",
    "ls @(a|b)",
    "ls a=(b)",
    "ls $((ls); ls)",
    "ls $((a[1]))",
    "ls $[1]",
    "ls a[$x]",
    "ls {a,'b'}",
    "ls `ls 'x'`",
    "ls $(ls # x\n)",
    "((ls))",
    "coproc x { ls; }",
    "ls | time ls",
    "ls \u00e0",
    "ls x>y",
    "ls '\u200b'",
  ]
  expect(lines.filter((command) => decide([".*", "[^]*"], command) !== undefined)).toEqual([])
})

it("everyday lines are understood", () => {
  const lines = [
    "npm test 2>&1 | tail -n 20",
    "cd src && ls -la; git status --short || true",
    "git log --oneline -5 --format='%h %s' HEAD~3..HEAD",
    'grep -rn "foo$" src --include=*.{ts,tsx} | wc -l',
    "find . -name '*.ts' -not -path './node_modules/*' -exec grep -l x {} +",
    'for f in a b c; do cat "$f"; done',
    "for f in src/*.ts\ndo\n  wc -l $f\ndone | sort -n",
    "if [ -f package.json ]; then cat package.json; else ls; fi",
    'while read -r line; do echo "$line"; done < file',
    'git commit -m "$(cat <<\'EOF\'\nIt\'s "this" (and that)\n\nEOF\n)"',
    "cat <<EOF | grep x\nhome is $HOME and ${x} and $(pwd)\nEOF",
    "(cd src && ls)",
    "{ ls; pwd; } 2>/dev/null",
    'FOO=1 BAR="a b" npm test',
    "npm run build \\\n  --if-present \\\n  -- --verbose",
    "ls # what there is\npwd",
    "docker ps --format '{{.Names}}'",
    'echo "$(git rev-parse HEAD)" $? $1 ${x%.ts} ${y:-z}',
    "git show HEAD@{1} stash@{0} HEAD^",
    "curl -s 'https://example.org/a?b=c&d' -H \"X: $TOKEN\"",
    "diff <(ls a) <(ls b)",
    "sed -n '1,20p' file; awk '{print $1}' x",
    "[[ -d x && $y == z* ]] && ls",
    "sleep 1 & wait",
    'case "$x" in\n  a|b) ls ;;\n  *) pwd ;;\nesac',
    "node -e 'console.log(1)'",
    "echo a\\ b \\; \\$x",
    "ls é 'à' 日本",
  ]
  expect(lines.filter((command) => typeof understand(command, "bash") === "string")).toEqual([])
})

describe("code for a shell that need not be bash", () => {
  it("is asked where it is bash's own", () => {
    const rows = [
      ["sh -c \"echo $'\\\\'; CMD #'\"", "^(sh|echo)\\b"],
      ["sh -c 'ls &>x'", ".*"],
      ["watch 'ls <(ls)'", ".*"],
      ["ssh host '[[ a ]] && ls'", ".*"],
      ["dash -c 'ls {a,b}'", ".*"],
    ] as const
    expect(rows.filter(([command, allow]) => decide([allow], command) !== undefined)).toEqual([])
  })

  it("is understood where it is everybody's", () => {
    expect(decide([".*"], "sh -c 'ls \"$x\" | wc -l; for f in a; do cat $f; done'")).toBe("approve")
  })
})

it("a redirection to a word that is not literal is asked", () => {
  const allow = ["^cat\\b"]
  expect(decide(allow, "cat < /dev/tc${x}p/127.0.0.1/80")).toBeUndefined()
  expect(decide(allow, "cat < $x")).toBeUndefined()
  expect(decide(allow, "cat < /dev/tc?/127.0.0.1/80")).toBeUndefined()
  expect(decide(allow, "cat < file")).toBe("approve")
  expect(decide(["^(cat|ls)\\b"], "cat < <(ls)")).toBe("approve")
})
