// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are bash's
import { describe, expect, it } from "vitest"
import { type FilterDecision, ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (allow: ReadonlyArray<string>, deny: ReadonlyArray<string>, command: string): FilterDecision =>
  ToolFilters.compile({ shell: { allow, deny } }).evaluate(shell, { command })

const ls = ["^ls\\b"]

it("an allow pattern for ls approves", () => {
  const lines = [
    "ls",
    "ls -la",
    "ls; ls",
    "ls && ls || ls",
    "ls | ls |& ls",
    "ls & ls",
    "ls\nls",
    "(ls)",
    "{ ls; }",
    "! ls",
    "time ls",
    "if ls; then ls; else ls; fi",
    "while ls; do ls; done",
    "for f in a b; do ls $f; done",
    'case "$x" in a) ls ;; esac',
    "ls # rm x",
    "ls \\\n -la",
    "ls $HOME *.ts {a,b} ~/x",
    "ls ${x:-y} ${#x} ${x%.ts} ${x:0:3}",
    "ls $((1 + 2))",
    "ls $(ls)",
    "ls `ls`",
    'ls "$(ls)"',
    "ls <(ls)",
    "ls 2>&1",
    "ls > /dev/null 2>&1",
    "ls &>/dev/null",
    "ls 2>&-",
    "ls < file",
    "ls <<< $x",
    "ls <<E\n$(ls)\nE",
    "ls 'rm x'",
    "l's' -l",
    "\\ls",
    "[[ -d x && $y == z ]] && ls",
    "coproc ls",
    "ls é",
  ]
  expect(lines.filter((command) => decide(ls, [], command) !== "approve")).toEqual([])
})

it("an allow pattern for ls does not approve", () => {
  const lines = [
    // other commands of the line
    "ls; rm -rf x",
    "ls && rm x",
    "ls || rm x",
    "ls | sh",
    "ls |& sh",
    "ls & rm x",
    "ls\nrm x",
    "ls # x\nrm x",
    "(ls; rm x)",
    "{ ls; rm x; }",
    "! rm x",
    "!(rm x)",
    "time rm x",
    "time -p rm x",
    "coproc rm x",
    "if rm x; then ls; fi",
    "if ls; then ls; elif rm x; then ls; fi",
    "while rm x; do ls; done",
    "until ls; do rm x; done",
    "for f in $(rm x); do ls; done",
    "for ((i = 0; i < 1; i++)); do ls; done",
    "for PATH in ./evil; do ls; done",
    "select PATH in ./evil; do ls; done",
    "case $(rm x) in a) ls ;; esac",
    "case a in $(rm x)) ls ;; esac",
    "case a in a) rm x ;; esac",
    "coproc PATH { ls; }",
    // functions, aliases, the shell's own state
    "ls() { rm x; }; ls",
    "function ls { rm x; }; ls",
    "ls() { ls; }; ls",
    "alias ls='rm x'\nls",
    "trap 'rm x' EXIT; ls",
    "hash -p ./evil ls; ls",
    "enable -f ./evil.so ls; ls",
    "export PATH=.; ls",
    "declare -x PATH=.; ls",
    "read PATH <<< .; ls",
    "printf -v PATH .; ls",
    "source ./evil; ls",
    ". ./evil; ls",
    // assignments
    "PATH=. ls",
    "LD_PRELOAD=x ls",
    "PATH=.; ls",
    "PATH+=:. ls",
    "a[$(rm x)]=1 ls",
    "a=($(rm x)); ls",
    "a=$(rm x) ls",
    "ls ${PATH:=.}",
    "ls $((PATH = 1))",
    "((PATH = 1)); ls",
    "ls {PATH}< file",
    // redirections
    "ls > file",
    "ls >> file",
    "ls >| file",
    "ls &> file",
    "ls &>> file",
    "ls >& file",
    "ls <> file",
    "ls 2> file",
    "ls {fd}> file",
    "> file ls",
    "ls; > file",
    "ls > $x",
    "ls >& $x",
    "ls > /dev/null/../../etc/x",
    "ls < /dev/tcp/example.org/80",
    "{ ls; } > file",
    "(ls) >> file",
    "while ls; do ls; done > file",
    "if ls; then ls; fi &> file",
    "[[ a ]] > file",
    "ls > >(rm x)",
    // substitutions
    'ls <((ls)|ls x <<"E_1"\n)\nE_1\n)',
    "ls >((ls); ls)",
    "ls $(rm x)",
    "ls `rm x`",
    "ls `ls \\`rm x\\``",
    'ls "$(rm x)"',
    'ls "`rm x`"',
    'ls $"$(rm x)"',
    "ls ${x:-$(rm x)}",
    'ls "${x:-"$(rm x)"}"',
    "ls ${x:+`rm x`}",
    "ls ${x/a/$(rm x)}",
    "ls ${x#$(rm x)}",
    "ls ${x:$(rm x)}",
    "ls ${a[$(rm x)]}",
    "ls $((a[$(rm x)]))",
    "ls $((1 + $(rm x)))",
    "ls $[ $(rm x) ]",
    "ls ${ rm x; }",
    "ls ${| rm x; }",
    "ls <(rm x)",
    "ls >(rm x)",
    "ls {a,$(rm x)}",
    "ls @(a|$(rm x))",
    "ls [$(rm x)]",
    "ls <<< $(rm x)",
    'ls <<< "$(rm x)"',
    "ls <<E\n$(rm x)\nE",
    "ls <<E\n`rm x`\nE",
    "ls <<-E\n\t${y:-$(rm x)}\n\tE",
    "ls < $(rm x)",
    "[[ -n $(rm x) ]] && ls",
    "[[ a =~ $(rm x) ]] && ls",
    "((a[$(rm x)])); ls",
    // strings that bash evaluates as arithmetic, and so may hold a substitution
    "for x in 'a[$(rm y)]'; do ls $((x)); done",
    "for x in 'a[$(rm y)]'; do ls ${b[x]}; done",
    "for x in 'a[$(rm y)]'; do ls ${b:x}; done",
    "for x in 'a[$(rm y)]'; do ls ${!x}; done",
    "for x in '$(rm y)'; do ls ${x@P}; done",
    "for x in 'a[$(rm y)]'; do [[ $x -eq 0 ]] && ls; done",
    "[[ -v 'a[$(rm y)]' ]] && ls",
    // the command's name
    "$X -la",
    "l$X",
    '"$(ls)"',
    "`ls`",
    "{ls,-la}",
    "/bin/l?",
    "l[s]",
    "~/ls",
    "./ls",
    "/tmp/ls",
    "'ls -la'",
    "$'ls\\x20-la'",
    "''ls\\ x",
    // white space and characters that deceive
    "ls\rrm x",
    "ls\0rm",
    "ls\u00a0-la",
    "ls -la\u2028rm x",
    "ls \u202erm",
    "ls\u200b",
    "ls \ud800",
    "\ufeffls",
    "ls\vx",
    // not bash, or not all of it
    "ls '",
    'ls "',
    "ls $(",
    "ls `",
    "ls ${x",
    "ls (",
    "ls \\\n (x",
    "ls)",
    "ls;;",
    "; ls",
    "if ls; then",
    "ls && ",
    "ls |",
    "ls <",
    "ls $(ls; ')",
    // nothing to approve
    "",
    "  ",
    "# ls",
    "[[ ls ]]",
  ]
  expect(lines.filter((command) => decide(ls, [], command) !== undefined)).toEqual([])
})

describe("a command that runs another needs a rule for both", () => {
  it.each([
    ["env ls", "^env\\b"],
    ["/usr/bin/env ls", "^/usr/bin/env\\b"],
    ["env -u HOME -- ls -la", "^env\\b"],
    ["sudo -n -u root ls", "^sudo\\b"],
    ["doas -u root ls", "^doas\\b"],
    ["timeout -k 1 --signal=KILL 5 ls", "^timeout\\b"],
    ["nohup ls", "^nohup\\b"],
    ["\\time -p ls", "^time\\b"],
    ["nice -n 5 ls", "^nice\\b"],
    ["ionice -c3 ls", "^ionice\\b"],
    ["stdbuf -oL ls", "^stdbuf\\b"],
    ["setsid -f ls", "^setsid\\b"],
    ["command ls", "^command\\b"],
    ["builtin ls", "^builtin\\b"],
    ["exec ls", "^exec\\b"],
    ["busybox ls", "^busybox\\b"],
    ["chroot /x ls", "^chroot\\b"],
    ["flock -n lock ls", "^flock\\b"],
    ["strace -f ls", "^strace\\b"],
    ["watch -n 1 ls -la", "^watch\\b"],
    ["watch 'ls; ls'", "^watch\\b"],
    ["ssh -p 22 host ls", "^ssh\\b"],
    ["ssh host 'ls; ls'", "^ssh\\b"],
    ["xargs ls", "^xargs\\b"],
    ["xargs -0 -n 1 -I {} ls {}", "^xargs\\b"],
    ["find . -name '*.ts' -exec ls {} +", "^find\\b"],
    ["find . -exec ls {} \\; -ok ls \\;", "^find\\b"],
    ["bash -c ls", "^bash\\b"],
    ["sh -ec 'ls; ls'", "^sh\\b"],
    ["bash -euo pipefail -c 'ls \"$1\"' x y", "^bash\\b"],
    ["bash <<'E'\nls\nE", "^bash\\b"],
    ["bash -s x <<< 'ls'", "^bash\\b"],
    ["eval ls -la", "^eval\\b"],
    ["eval 'ls; ls'", "^eval\\b"],
    ["trap 'ls' EXIT", "^trap\\b"],
    ["env timeout 5 nice ls", "^(env|timeout|nice)\\b"],
    ["bash -c \"bash -c 'ls'\"", "^bash\\b"],
  ])("%j", (command, wrapper) => {
    expect(decide([...ls, wrapper], [], command)).toBe("approve")
    expect(decide([wrapper], [], command)).toBeUndefined()
    expect(decide(ls, [], command)).toBeUndefined()
  })
})

it("a shell that reads its line otherwise than without the option is asked", () => {
  const lines = [
    "bash -k -c 'ls LD_PRELOAD=./x.so'",
    "bash -o keyword -c 'ls LD_PRELOAD=./x.so'",
    "bash -i +O interactive_comments -c 'ls # ; touch PWN'",
    "bash -O expand_aliases -c ls",
    "bash -ic ls",
    "zsh -ic 'ls # ; touch PWN'",
  ]
  expect(lines.filter((command) => decide(["^(ls|bash|zsh)\\b"], [], command) !== undefined)).toEqual([])
})

it("whatever the patterns allow, is asked", () => {
  const lines = [
    "env $X",
    "env -S 'rm x'",
    "env PATH=. ls",
    "sudo -s",
    "sudo --unheard-of ls",
    "sudo $X ls",
    "timeout $X ls",
    "su -c 'rm x'",
    "su",
    "script -c 'rm x' file",
    "flock lock -c 'rm x'",
    "parallel rm ::: x",
    "watch $X",
    "ssh host",
    "ssh -o ProxyCommand='rm x' host ls",
    "xargs sh -c",
    "xargs -I {} sh -c 'ls {}'",
    "xargs -I ls ls",
    "xargs env",
    "xargs bash",
    "find . -delete",
    "find . -fprint file",
    "find . $X",
    "find . -exec sh -c 'ls {}' \\;",
    "find . -exec {} \\;",
    "find . -exec ls",
    "bash",
    "ls | bash",
    "ls | bash -s",
    "ls | sh -",
    "bash /dev/stdin",
    "bash -c $X",
    'bash -c "$X"',
    'bash -c "ls $X"',
    "bash -c",
    "bash $X",
    "bash <(ls)",
    "bash --rcfile x -i",
    "bash <<E\nls $x\nE",
    "bash <<'E' < file\nls\nE",
    "eval $X",
    'eval "ls $X"',
    "eval 'ls ('",
    "trap $X EXIT",
    "source <(ls)",
    "chroot /x",
    "ld() { ls; }",
    "x=1",
    "> file",
    "unset PATH",
    "mapfile PATH",
    "let 'a[$(rm x)]'",
    "test -v 'a[$(rm x)]'",
    "[ -v 'a[$(rm x)]' ]",
    "wait -p 'a[$(rm x)]' 1",
    "set -k",
    "shopt -s expand_aliases",
    // programs that only seem to read
    "awk 'BEGIN { system(\"rm x\") }'",
    "awk '{ print > \"file\" }'",
    "awk '{ print | \"sh\" }'",
    "awk -f file",
    "sed '1e rm x' file",
    "sed 's/a/rm x/e' file",
    "sed 's/a/b/w file' file",
    "sed -i 's/a/b/' file",
    "sed -n -e 1p -e 'w file' file",
    "sort -o file x",
    "sort -ro file x",
    "sort --outp=file x",
    "sort --compress-program=./evil x",
    "rg --pre ./evil x",
    "fd -x rm",
    "tar -xf a --checkpoint-action=exec=./evil",
    "tar xIf ./evil a",
    "rsync -e ./evil a b",
    "split --filter=./evil a",
    "man -P ./evil ls",
    "git -c alias.x='!rm y' x",
    "git -C elsewhere status",
    "git grep -O./evil x",
    "git diff --output=file",
    "git diff $(ls)",
    "git fetch --upload-pack=./evil x",
    "git bisect run rm x",
    "git submodule foreach rm x",
  ]
  expect(lines.filter((command) => decide([".*", "[^]*"], [], command) !== undefined)).toEqual([])
})

it("find's + ends a command only behind {}", () => {
  const allow = ["^find\\b", "^env\\b", "^ls\\b"]
  expect(decide(allow, [], "find . -exec env ls {} +")).toBe("approve")
  expect(decide(allow, [], "find . -exec env + rm {} \\;")).toBeUndefined()
})

it("patterns still allow the plain use of programs that can do more", () => {
  const rows = [
    ["^git\\b", "git commit -m \"$(cat <<'E'\nmessage\nE\n)\""],
    ["^git\\b", "git push -u origin main"],
    ["^git\\b", "git log --oneline -5"],
    ["^find\\b", "find src -name '*.ts' -type f"],
    ["^sed\\b", "sed -n '1,20p' file"],
    ["^sed\\b", "sed -E 's/a|b/c/g' file"],
    ["^awk\\b", "awk -F: '{ print $1 }' file"],
    ["^sort\\b", "sort -k2 -rn file"],
    ["^tar\\b", "tar czf a.tgz src"],
    ["^bash\\b", "bash script.sh $x"],
    ["^set\\b", "set -euo pipefail"],
    ["^command\\b", "command -v node"],
    ["^trap\\b", "trap - EXIT"],
    ["^rg\\b", "rg --glob '*.ts' x"],
  ] as const
  expect(
    rows.filter(([pattern, command]) => decide([pattern, "^cat\\b"], [], command) !== "approve"),
  ).toEqual([])
})

describe("a deny pattern for rm finds", () => {
  it("in whatever runs it", () => {
    const lines = [
      "rm -rf x",
      "ls; rm -rf x",
      "ls | rm -rf x",
      "ls $(rm -rf x)",
      'ls "${x:-`rm -rf x`}"',
      "cat <<E\n$(rm -rf x)\nE",
      "r\\m -rf x",
      "'rm' -rf x",
      '""rm "-rf" x',
      "r$@m -rf x",
      "r${x}m -r${y}f x",
      "${x:-rm} -rf x",
      "$'\\x72m' -rf x",
      "$'rm\\x20-rf x'",
      "rm${IFS}-rf${IFS}x",
      "rm$IFS-rf x",
      "{rm,-rf,x}",
      "rm {-rf,x}",
      "rm  \t -rf x",
      "rm \\\n -rf x",
      "/bin/rm -rf x",
      "../../bin/r'm' -rf x",
      "PATH=. rm -rf x",
      "f() { rm -rf x; }",
      "alias x='rm -rf y'",
      "trap 'rm -rf x' EXIT",
      "sudo rm -rf x",
      "sudo --unheard-of rm -rf x",
      "env -i A=b rm -rf x",
      "env -S 'rm -rf x'",
      "xargs -0 rm -rf",
      "find . -exec rm -rf {} \\;",
      "timeout 5 nohup rm -rf x",
      "su root -c 'rm -rf x'",
      "script -qc 'rm -rf x' /dev/null",
      "parallel rm -rf ::: x",
      "flock lock -c 'rm -rf x'",
      "ssh host 'ls; rm -rf x'",
      "watch 'rm -rf x'",
      "busybox rm -rf x",
      "bash -c 'rm -rf x'",
      "bash -c 'r\\m -rf \"$X\"'",
      "bash <<'E'\nrm -rf x\nE",
      "bash <<< 'rm -rf x'",
      "eval 'rm' '-rf x'",
      "e''val 'ev\"\"al \"rm -rf x\"'",
      "!(rm -rf x)",
      "coproc rm -rf x",
      "ls; rm -rf x; if",
      "rm -rf 'x",
      "ls\nr\\m -rf x\n)",
    ]
    expect(lines.filter((command) => decide([".*"], ["^rm +-rf\\b"], command) !== "deny")).toEqual([])
  })

  it("and nothing where rm is only a word", () => {
    const lines = ["grep rm x", "echo 'rm -rf x'", "ls rm", "git rm x"]
    expect(lines.filter((command) => decide([".*"], ["^rm\\b"], command) !== "approve")).toEqual([])
  })
})

it("a deny pattern finds what stands behind an assignment that bash could not make", () => {
  const lines = ["env 1=2 npm publish", "env a.b= npm publish", "sudo -u x 1=2 npm publish"]
  expect(lines.filter((command) => decide([".*"], ["^npm publish"], command) !== "deny")).toEqual([])
})

describe("deny patterns", () => {
  it("see the whole line as it is written", () => {
    expect(decide([".*"], ["curl .*\\| *sh"], "curl x | sh")).toBe("deny")
  })

  it("see the decoded target of a redirection", () => {
    expect(decide([".*"], ["> \\.env$"], "ls > .e'n'v")).toBe("deny")
  })

  it("see past a line break within a word", () => {
    expect(decide([".*"], ["^rm .*-rf"], "rm 'a\nb' -rf")).toBe("deny")
  })

  it("see assignments decoded", () => {
    expect(decide([".*"], ["^LD_PRELOAD=x"], "LD_PRELOAD='x' ls")).toBe("deny")
  })

  it("win over the very line that is allowed", () => {
    expect(decide(["^rm x$"], ["^rm"], "rm x")).toBe("deny")
  })
})

describe("an allow pattern that is a literal", () => {
  it("approves its line, however it is spaced and quoted", () => {
    const rows = [
      ["^FOO=1 npm test > log$", "FOO=1 npm test > log"],
      ["^find \\. -delete$", "find . -delete"],
      ["^npm test$", "npm  test"],
      ["^npm test$", "npm 'test'"],
      ["^npm test$", "npm test && npm test"],
    ] as const
    expect(rows.filter(([pattern, command]) => decide([pattern], [], command) !== "approve")).toEqual([])
  })

  it("approves no other line", () => {
    const rows = [
      ["^rm a b$", "rm 'a b'"],
      ["^rm \\$X$", "rm '$X'"],
      ["^rm \\*$", "rm '*' "],
      ["^rm '\\*'$", "rm \\'*\\'"],
      ["^FOO=1 npm test$", "FOO=1 npm test; ls"],
      ["^npm test$", "FOO=1 npm test"],
      ["^\\$X$", "$X"],
      ["^ls '$", "ls '"],
    ] as const
    expect(rows.filter(([pattern, command]) => decide([pattern], [], command) !== undefined)).toEqual([])
  })
})

describe("a hostile line is asked in bounded time", () => {
  const fill = (text: string) => text.repeat(Math.floor(131_000 / text.length))

  it.each([
    ["substitutions", fill("$(")],
    ["quoted substitutions", fill('"$(')],
    ["backticks", `ls ${fill("`")}\``],
    ["parameter defaults", fill("${x:-")],
    ["arithmetic", `ls $((${fill("1+")}x))`],
    ["here-documents", `ls ${fill("<<a ")}`],
    ["coprocesses", fill("coproc ")],
    ["functions", fill("function f ")],
    ["subshells", fill("( ")],
    ["wrappers", fill("env ")],
    ["launchers", fill("at ")],
    ["few launchers", "at ".repeat(40)],
    ["unknown options of wrappers", "sudo --x ".repeat(40)],
    ["finds", fill("find -exec ")],
    ["eval of eval", `${"eval ".repeat(200)}ls`],
    ["more than a program can be given", `ls ${"x".repeat(131_072)}`],
  ])(
    "%s",
    (_, command) => {
      expect(decide([".*", "[^]*"], [], command)).toBeUndefined()
    },
    // Each takes a second or two; what tries every combination never ends.
    120_000,
  )

  it("and a long honest one is read", () => {
    expect(decide(ls, [], "ls x;".repeat(20_000))).toBe("approve")
    expect(decide(ls, ["^rm"], `${"ls x;".repeat(20_000)} r\\m x`)).toBe("deny")
  })

  it("and what stands behind it is denied as it is written", () => {
    expect(decide([".*"], ["rm -rf"], `${fill("coproc ")} rm -rf x`)).toBe("deny")
  })
})

it("an allow pattern for shells does not approve code behind a plus", () => {
  const lines = ["bash +c 'rm x'", "bash +case 'rm x'", "sh +c 'rm x'", "bash +s <<< 'rm x'"]
  expect(lines.filter((command) => decide(["^(ba)?sh\\b"], [], command) !== undefined)).toEqual([])
})
