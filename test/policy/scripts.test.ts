import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (command: string, allow = "^(sed|awk|gawk)\\b") =>
  ToolFilters.compile({ shell: { allow: [allow] } }).evaluate(shell, { command })

const sed = (script: string) => decide(`sed '${script}' file`)
const awk = (program: string) => decide(`awk '${program}' file`)

describe("a sed script that only edits is covered", () => {
  it("by each of its commands", () => {
    const scripts = [
      "s/a/b/",
      "s/a/b/;s/c/d/g",
      "s|/usr|/opt|gI",
      "s/\\(a\\)/\\1 \\/ &/2p",
      "s/[0-9]*/x/",
      "s/^[[:space:]]*[^a-z.]//",
      "s/a/[/",
      "/^$/d",
      "/a/,/b/p",
      "/a/!d",
      "1,/x/ { s/a/b/; p; }",
      "$!N;P;D",
      ":a;N;$!ba;s/x/ /g",
      "2q",
      "0~3d",
      "5,+2p",
      "/x/I{n;d}",
      "\\#a/b#d",
      "y/abc/xyz/",
      "1i\\\\",
      "$a last line; w",
      "# a comment\np",
      "$=",
      "10,20!d",
    ]
    expect(scripts.filter((script) => sed(script) !== "approve")).toEqual([])
  })

  it("in each of its options", () => {
    const lines = [
      "sed -n -e 1p -e '$p' file",
      "sed -e's/a/b/' file",
      "sed -nE '/a|b/p' file other",
      "sed --quiet --expression='1p' file",
      "sed -z 's/x/y/' file",
      'sed -n 1p "src/$x"',
    ]
    expect(lines.filter((command) => decide(command) !== "approve")).toEqual([])
  })
})

describe("a sed script that does more is asked", () => {
  it("by each of its commands", () => {
    const scripts = [
      "1e rm x",
      "e",
      "s/a/rm x/e",
      "s/a/rm x/ge",
      "s/a/b/w file",
      "s/a/b/;w file",
      "/a/w file",
      "/[/]/w file/d",
      "s/[/]w x/b/",
      "s/[]/]x/w f/;s/a/b/",
      "s/[^]/]/w f/",
      "p;W file",
      "p\nw file",
      "{p}w file",
      "{p;w file\n}",
      "r file",
      "R file",
      "a text\nw file",
      "a\\\\\ntext\\\\\nmore\nw file",
      ":a w file",
      "b;w file",
      "# a comment\nw file",
      "y/a/b/w file",
      "1!w file",
      "2,3 w file",
      "\\xaxw file",
      "s\\na\\nb\\nw file",
      "$!{$!N;w file\n}",
      "q5;w file",
      "s/a/b/ w file",
      "s/a\\/b/c/w file",
      "",
    ]
    expect(scripts.filter((script) => sed(script) !== undefined)).toEqual([])
  })

  it("in each of its options", () => {
    const lines = [
      "sed -f script file",
      "sed -nf script file",
      "sed --file=script file",
      "sed -s -n -e 1p -e 'w f' file",
      "sed -n -e'w f' file",
      "sed -n 1p --expression='w f' file",
      "sed 1p file -e 'w f'",
      "sed -i s/a/b/ file",
      "sed p file -i",
      'sed "s/a/$x/" file',
      "sed $x file",
      "sed 1p $x",
      "sed -i '' 's/a/b/w x' file",
    ]
    expect(lines.filter((command) => decide(command) !== undefined)).toEqual([])
  })

  it("also where the rule names the option that edits in place", () => {
    expect(decide("sed -i 's/a/b/' file", "^sed -i ")).toBe("approve")
    expect(decide("sed -i 's/a/b/w x' file", "^sed -i ")).toBeUndefined()
    expect(decide("sed -i.bak s/a/b/ file", "^sed -i\\.bak ")).toBe("approve")
  })
})

describe("an awk program that only prints is covered", () => {
  it("by each of its statements", () => {
    const programs = [
      "{print $1}",
      "NR>1",
      "NR > 1 && $3 >= 5 {print $2, $NF}",
      "$1 ~ /a|b>c/",
      "/a\\/b/ { n++ } END { print n / 2 }",
      'BEGIN { FS="|" } { printf "%s > %s\\n", $1, $2 }',
      "{ print ($1 > 2) }",
      "{ a[$1] += $2 } END { for (k in a) print k, a[k] }",
      "!seen[$0]++",
      "length($0) > 80 || /x/",
      '{ sub(/x/, "y"); gsub("|", "@"); print }',
      "{ s = s (s == 0 ? 1 : 2) } # print > file",
      "function f(x) { return x / 2 } { print f($1) }",
      "{ if ($1 > m) m = $1 }\nEND { print m }",
      "{ x /= 2; y = x / 4 / 2 }",
      "{ print ($1 + $2) / 2 }",
      "/^[[:space:]]*[a-z.]+ [^\\t|]/",
      "length > 80",
      "{ n += length($0) / 2 } END { print n / NR }",
      "/=/",
      '{ printf "%s %s\\n", \\\n    $1, $2 }',
      '{ printf("%s %s\\n",\n    $1, $2) }\n/a/ &&\n/b/',
      "{ print f(a > b), (c > d) } # e",
    ]
    expect(programs.filter((program) => awk(program) !== "approve")).toEqual([])
  })

  it("in each of its options", () => {
    const lines = [
      "awk -F '|' '{print $2}' file",
      "awk -F: -v n=2 '$n > 1' file",
      'awk -v n="$x" \'$1 > n\' "src/$y"',
      "awk -F\\> -- '{print $2}' file",
    ]
    expect(lines.filter((command) => decide(command) !== "approve")).toEqual([])
  })
})

describe("an awk program that does more is asked", () => {
  it("by each of its statements", () => {
    const programs = [
      'BEGIN { system("rm x") }',
      '{ print > "file" }',
      '{ print $1, $2 >> "file" }',
      '{ print ($1) > "file" }',
      '{ printf("%s", $1) > "file" }',
      '{ print | "sh" }',
      '{ "date" | getline }',
      'BEGIN { getline < "file" }',
      'BEGIN { print "x" |& "sh" }',
      '@load "x"',
      'BEGIN { f = "system"; @f("rm x") }',
      'BEGIN { print /"/; system("rm x") #"\n}',
      '{ a = b / "c" | "sh" / d }',
      '{ a = 1 / 2; print | "sh" } /x/',
      '{ x++ /"/ 1; print | "sh" #"/\n}',
      '/[/]"/ { print | "sh" } #"',
      'BEGIN { "x\\\\" ; print "y" | "sh" }',
      '{ print $1, # (\n $2 > "file" }',
      '{ if (x) /"/ ; print | "sh" #"/\n}',
      '/[]/]"/ { print | "sh" } #"',
      '/[^]/]"/ { print | "sh" } #"',
      '/a/ /"/ { print | "sh" } #"/',
      '{ if (x) print > "file"; else y }',
      '{ print a[1] > "file" }',
      '{ for (;;) print > "f" }',
      "{ print $1 `x` }",
      "{ print '\"'\"' }",
      '{ $/x/ | "sh" }',
      'BEGIN { ARGV[1] = "/etc/shadow"; ARGC = 2 } { print }',
      "BEGIN { ARGC = 1 } { print }",
      'BEGIN { SYMTAB["ARGV"][1] = "/etc/shadow" } { print }',
      'function f(a) { a[1] = "/etc/shadow" } BEGIN { f(ARGV) } { print }',
      // One of gawk, mawk, busybox and the original awk reads these otherwise, or may.
      'BEGIN{length/"/;system(" touch f ");}#" }',
      'BEGIN{print length /"/;x="1;print 1>999;}#"',
      '{ rand /"/ ; system(" touch f ");}#" }',
      '{ x = (1\n/"/); system(" touch f ");}#" }',
      '{ x - /"/1; x = "1; print 1>999 }#"}',
      "{ print a[b > c] }",
      "{ print 0x1p-2 }",
      "{ print 1.2.3 }",
      "{ print } # \\\nx",
      "{ print\\\n}",
    ]
    expect(programs.filter((program) => awk(program) !== undefined)).toEqual([])
  })

  it("in each of its options", () => {
    const lines = [
      "awk -f program file",
      "awk -v x=1 -f program file",
      "awk -v x=$y '{print}' file",
      'awk -v "x" -f program',
      "awk -i inplace '{print}' file",
      "awk '{print}' -f program",
      "awk '{print}' $x",
      'awk "{print $x}" file',
      "awk --source '{print}' file",
      "awk -vx=1 -- -f program",
      "gawk -o '{print}' file",
      "gawk '{print}' /inet/tcp/0/host/80",
    ]
    expect(lines.filter((command) => decide(command) !== undefined)).toEqual([])
  })
})
