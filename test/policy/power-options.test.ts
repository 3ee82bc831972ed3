// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are bash's
import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"
import type { PowerOptions, PowerTable } from "../../src/policy/power-table.ts"
import { buildOptions } from "../../src/policy/power-table-builds.ts"
import { checkerOptions } from "../../src/policy/power-table-checkers.ts"
import { containerOptions } from "../../src/policy/power-table-containers.ts"
import { databaseOptions } from "../../src/policy/power-table-databases.ts"
import { developmentOptions } from "../../src/policy/power-table-development.ts"
import { fileOptions } from "../../src/policy/power-table-files.ts"
import { gitOptions } from "../../src/policy/power-table-git.ts"
import { networkOptions } from "../../src/policy/power-table-network.ts"
import { packageOptions } from "../../src/policy/power-table-packages.ts"
import { systemOptions } from "../../src/policy/power-table-system.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (command: string, ...allow: ReadonlyArray<string>) =>
  ToolFilters.compile({ shell: { allow } }).evaluate(shell, { command })

const nameOf = (command: string) => /^\S+/.exec(command)![0]

it("a rule for the command alone does not cover", () => {
  const lines = [
    "git diff-tree --format=x --output=package.json HEAD",
    "git diff --output package.json",
    "git log -p --outp=f",
    "git show --ext-diff",
    "git -c core.fsmonitor=./x status",
    "git -ccore.pager=x log",
    "git -C elsewhere status",
    "git --git-dir=x status",
    "git --exec-path=. status",
    "git --no-pager -p log",
    "git config alias.x '!sh'",
    "git config --global --add core.pager x",
    "git config set core.pager x",
    "git config -e",
    "git clone -c core.sshCommand=x y",
    "git clone ext::x y",
    "git pull ext::x",
    "git bugreport --output-directory=x",
    "git diagnose -o x",
    "git svn --authors-prog=./x fetch",
    "git daemon --access-hook=./x",
    "git shell -c x",
    "git remote-ext x ./x",
    "dc -e '!x'",
    "git push -- ext::x",
    "git ls-remote ext::x",
    "git init --template=x",
    "git rebase -ix cmd main",
    "git remote add x y",
    "git difftool -x cmd",
    "git grep -nO./x y",
    "git ls-remote --upload-pack=./x .",
    "curl -o f http://x",
    "curl -sSLo f http://x",
    "curl -sof http://x",
    "curl -O http://x",
    "curl --output=f http://x",
    "curl --outpu f http://x",
    "curl -K f",
    "curl -c jar http://x",
    "curl -w '%output{f}x' http://x",
    "curl -o /dev/null -o f http://x",
    "curl -H -H -of http://x",
    "curl -Ko /dev/null",
    "git tag -m -m --output=x",
    "git bisect r*",
    "find -- . -delete",
    "find . -d*",
    "find . -[d]elete",
    "find . -exe? ./x ';'",
    "make -- CC=./x",
    'make "C$x"',
    "sysctl -- a.b=1",
    "sort -*",
    "sort -?",
    "sort -k *",
    'sqlite3 db ".SH$x"',
    "wget -U -U -Of http://x",
    "wget -PO /dev/null http://x",
    "wget -O f http://x",
    "wget -qO f http://x",
    "wget --use-askpass=./x http://x",
    "wget -e http_proxy=x http://x",
    "sort -o f x",
    "sort -ruof x",
    "sort x -o f",
    "sort -t -- -o f x",
    "sudo -D elsewhere npm test",
    "sudo -u x --chdir=elsewhere npm test",
    "sort --outp f x",
    "sort --compress-p=./x y",
    "tar xf a --checkpoint-action=exec=./x",
    "tar tf a --index-file=f",
    "tar -xI ./x -f a",
    "tar xIf ./x a",
    "tar --to-c=./x -xf a",
    "tar -xf a -C elsewhere",
    "find . -delete",
    "find . -name x -fprintf f y",
    "find . -fls f",
    "scp -D ./x a b:",
    "scp -S ./x a b:",
    "scp -qoProxyCommand=x a b:",
    "sftp -D ./x a",
    "sftp -b f a",
    "ssh -oProxyCommand=x host",
    "rg --pre ./x y",
    "rg --hostname-bin=./x y",
    "uniq a b",
    "uniq -c a b",
    "uniq -f 1 a b",
    "uniq --skip-fields 1 a b",
    "uniq -- a b",
    "xxd a b",
    "xxd -r a b",
    "xxd -l 16 a b",
    "xxd a -b",
    "date -s x",
    "date -us x",
    "file -C -m x",
    "man -P ./x y",
    "man -Hx y",
    "less -o f",
    "less '+!x' f",
    "view '+!x' f",
    "vim -c '!x' f",
    "env -C elsewhere ls",
    "env --chdir=elsewhere ls",
    "make test SHELL=./x",
    "make --eval=x test",
    "make -C elsewhere",
    "npm --prefix elsewhere test",
    "npm test --script-shell=./x",
    "npm test --script-sh ./x",
    "node --test --import ./x",
    "node -r ./x y",
    "eslint --fix x",
    "eslint -f ./x y",
    "prettier --write x",
    "pytest -p x",
    "go test -exec ./x ./...",
    "go test -toolexec=./x ./...",
    "go vet -vettool=./x ./...",
    "cargo --config x test",
    "cargo test --manifest-path=x",
    "gcc -wrapper ./x a.c",
    "openssl x509 -in a -out f",
    "gpg --output f --verify x",
    "yq -i x f",
    "yq -P -i x f",
    "sqlite3 a.db '.shell x'",
    "psql -c '\\! x'",
    "psql -o f",
    "gh api -X DELETE x",
    "ip link set lo down",
    "ip -batch f",
    "ss -K",
    "journalctl --vacuum-size=1",
    "dmesg -C",
    "tree -o f",
    "zip -rTT x a b",
    "unzip a -d elsewhere",
    "split --filter=x a",
    "rsync -ae ./x a b",
    "rsync --rsync-path=./x a b:",
    "rsync -a --delete a b",
    "fd -x rm",
    "fc -e x",
    "history -w f",
    "/usr/bin/sort -o f x",
    // What bash puts in may be such an option.
    "sort $x",
    "sort *",
    "sort {-o,f}",
    'sort "$x"',
    'sort "a$@"',
    "sort a$x",
    "sort -$x",
    "sort --$x=f",
    "sort --{outp,x}",
    "git $x",
    "uniq a $x",
    "git credential-store --file=x store",
    "git credential-store erase",
    "git credential-cache --socket=x get",
    "git credential approve",
    "git bundle create x HEAD",
    "git fast-import --export-marks=x",
    "git read-tree --index-output=x HEAD",
    "git checkout-index --prefix=/x/ -a",
    "git index-pack -o x y",
    "git mailinfo msg patch",
    "git maintenance start",
    "hostname evil",
    "hostname -F file",
    "hostname -b x",
    "hostname x$y",
    "domainname evil",
    "date 010100002030",
    "date 01010000.30",
    'curl -w "%out$x" http://x',
    'curl -sw"%out$x" http://x',
    'curl --write-out "a$x" http://x',
    'curl --write-out="a$x" http://x',
    'psql -c "$x"',
    'psql -c "select $x"',
    'psql -Atc "select $x"',
    'psql --command="select $x"',
    'psql --comm "select $x"',
    'psql -c "select {}"$(ls)',
    'mysql -e "select $x"',
    'mysql -e"select $x"',
    'mariadb --execute="select $x"',
    'sqlite3 x.db "select $x"',
    'sqlite3 -json x.db "select $x"',
    'dc -e "2 $x p"',
    "psql <<< '\\! ./x'",
    'psql <<< "select $x"',
    "psql <<E\nselect 1;\n\\copy t to program './x'\nE",
    "mysql <<< 'system ./x'",
    "sqlite3 x.db <<< '.shell ./x'",
    "sqlite3 x.db <<< $x",
    "dc <<< '!./x'",
    "crontab file",
    "crontab -",
    'dc --expression="2 $x p"',
  ]
  const isWrong = (command: string) => {
    const allow = [`^${nameOf(command)}\\b`, "^(git (log|diff|show|ls-remote)|tar|sort|ls|rm)\\b", ".*"]
    return decide(command, ...allow) !== undefined
  }
  expect(lines.filter(isWrong)).toEqual([])
})

describe("a rule for what a runner runs does not cover", () => {
  it("other options", () => {
    const rows = [
      ["^npx eslint\\b", "npx eslint --fix ."],
      ["^npx eslint\\b", "npx eslint -c evil.js ."],
      ["^npx tsc\\b", "npx tsc --outDir src"],
      ["^uv run pytest\\b", "uv run pytest -p evil"],
      ["^python3? -m pytest\\b", "python -m pytest -p evil"],
      ["^npm exec\\b", "npm exec -- git -c x=y status"],
    ] as const
    expect(rows.filter(([pattern, command]) => decide(command, pattern) !== undefined)).toEqual([])
  })

  it("unless it names it", () => {
    const rows = [
      ["^npx eslint\\b", "npx eslint src"],
      ["^npx eslint --fix\\b", "npx eslint --fix src"],
      ["^npx tsc\\b", "npx tsc --noEmit"],
      ["^uv run pytest\\b", "uv run pytest -q tests"],
    ] as const
    expect(rows.filter(([pattern, command]) => decide(command, pattern) !== "approve")).toEqual([])
  })
})

describe("abbreviations and other spellings are seen:", () => {
  it("is asked", () => {
    const lines = [
      "sqlite3 x '.sh touch p'",
      "sqlite3 x '.o f'",
      "sqlite3 x '.\"shell\" touch p'",
      "sqlite3 x <<< '.sys ls'",
      "curl -w @fmt http://x",
      "curl --write-out @fmt http://x",
      "curl -sw@fmt http://x",
      "curl --expand-output f http://x",
      "ip link s lo down",
      "ip addr a 1.2.3.4/8 dev lo",
      "ip netns e x ls",
      "openssl rand -out=x 4",
    ]
    expect(lines.filter((command) => decide(command, `^${nameOf(command)}\\b`) !== undefined)).toEqual([])
  })

  it("and nothing else is", () => {
    const lines = [
      "sqlite3 x '.tables'",
      "sqlite3 x 'select t.name from t'",
      "curl -w '%{http_code}' http://x",
      "ip a",
      "ip addr show",
      "ip route get 1.1.1.1",
      "openssl rand -hex 4",
    ]
    expect(lines.filter((command) => decide(command, `^${nameOf(command)}\\b`) !== "approve")).toEqual([])
  })
})

it("it covers", () => {
  const lines = [
    "git add -- *.ts",
    'git diff -- "$f"',
    'curl -H "Authorization: $x" http://x',
    "curl -sSo /dev/null http://x",
    "git log --oneline -5",
    "git --no-pager log --format=%H --author=x",
    "git diff HEAD~1 -- src/o.ts",
    "git log -Soutput",
    "git log -S --output",
    'git commit -am "fix $x"',
    'git commit --message="fix $x"',
    "git config user.name",
    "git config --get user.name",
    "git config --global --list",
    "git push -o ci.skip origin main",
    "git remote -v",
    "curl -s http://x/o",
    "curl -sS -H 'o: O' -d '{\"o\":1}' http://x",
    "curl -XPOST http://x",
    "curl -b cookies http://x",
    "curl --cookie x http://x",
    "curl -so /dev/null -w '%{http_code}' http://x",
    "curl --output - http://x",
    "wget -qO - http://x",
    "sort -k2 -rn file",
    "sort -to file",
    "sort src/*.ts",
    'sort "src/$x"',
    "sort ~/x",
    "sort -- x y",
    "tar czf a.tgz src",
    "tar -tvf a.tar",
    "tar --checkpoint=100 -xf a",
    "find src -name '*.ts' -type f",
    "rg --pretty x src",
    "uniq -c file",
    "uniq -f 1 file",
    "xxd -l 16 file",
    "date -Iseconds",
    "date +%s",
    "file -m magic x",
    "make -j8 test",
    "npm test -- --prefix x",
    "npm run build",
    "node --test test/a.test.js",
    "node script.js -e x",
    "go test ./...",
    "cargo test -p core",
    "ip addr show",
    "jq .x file",
    "ps aux",
    "git credential-store get",
    "git bundle verify x",
    "git maintenance run",
    "hostname -f",
    "hostname -I",
    "date -d 20200101 +%F",
    "date --date=20200101",
    'curl -s "http://x/$y"',
    'curl -d "a=$x" http://x',
    'psql -h "a$x" -c "select 1"',
    'mysql "a$x" -e "select 1"',
    'sqlite3 x.db "select 1"',
    "psql <<< 'select 1'",
    "sqlite3 x.db <<'E'\nselect 1;\nE",
    "crontab -l",
    'curl -d @- http://x <<< "$x"',
  ]
  expect(lines.filter((command) => decide(command, `^${nameOf(command)}\\b`) !== "approve")).toEqual([])
})

describe("a rule that names the option covers it", () => {
  it("where it matches the whole option", () => {
    const rows = [
      ["^sort -o \\S+ x$", "sort -o f x"],
      ["^sort -ro f\\b", "sort -ro f x"],
      ["^sort (-r )?--output=\\S+", "sort --output=f x"],
      ["^git diff --output=patches/\\S+$", "git diff --output=patches/a"],
      ["^git -C packages/\\S+ status$", "git -C packages/a status"],
      ["^git config core\\.pager cat$", "git config core.pager cat"],
      ["^find \\S+ -delete$", "find . -delete"],
      ["^uniq \\S+ \\S+$", "uniq a b"],
      ["^curl -sSLo \\S+ https://", "curl -sSLo f https://"],
      ["^sort \\$x$", "sort $x"],
    ] as const
    expect(rows.filter(([pattern, command]) => decide(command, pattern) !== "approve")).toEqual([])
  })

  it("and one that would match another option too does not", () => {
    const rows = [
      ["^git (diff --output=\\S+|log).*", "git log --output=f"],
      ["^sort -[a-z]+ f", "sort -o f x"],
      ["^sort -o f", "sort -o f --compress-program=./x y"],
      ["^git diff --\\S+$", "git diff --output=f"],
      ["^find .* -\\w+$", "find . -delete"],
    ] as const
    expect(rows.filter(([pattern, command]) => decide(command, pattern) !== undefined)).toEqual([])
  })
})

it("the explanation names what is not covered", () => {
  const filters = ToolFilters.compile({ shell: { allow: ["^git diff\\b", "^sort\\b"] } })
  expect(filters.explain(shell, { command: "git diff --output=f" })).toEqual({
    verdict: "ask",
    command: "git diff --output=f",
    because:
      "With `--output=f` it may write or run something, and no allow rule for `git diff --output=f` names that.",
  })
  expect(
    ToolFilters.compile({ shell: { allow: ["^psql\\b"] } }).explain(shell, { command: "psql <<< '\\! x'" }),
  ).toEqual({
    verdict: "ask",
    command: "psql",
    because: "The script that `psql` reads may write or run something.",
  })
  expect(filters.explain(shell, { command: "sort $x" }).because).toBe(
    "What `$x` stands for may be an option with which `sort $x` writes or runs something.",
  )
})

describe("every option of the tables", () => {
  const all: PowerTable = {
    ...fileOptions,
    ...gitOptions,
    ...networkOptions,
    ...developmentOptions,
    ...buildOptions,
    ...packageOptions,
    ...checkerOptions,
    ...containerOptions,
    ...systemOptions,
    ...databaseOptions,
  }
  const rows = Object.entries(all).flatMap(([names, options]) =>
    names.split("|").map((name) => ({ name: name.replace("*", "diff"), ...options })),
  )

  const spelled = (option: string, { spelling = "getopt" }: PowerOptions): ReadonlyArray<string> => {
    if (option.endsWith("?")) return []
    if (option.endsWith("*")) return [`${option.slice(0, -1)}f`]
    if (option.endsWith(".")) return [`${option}f`]
    if (!option.startsWith("-")) return [option]
    if (/^-.$/.test(option)) {
      const letter = [option, `${option}=f`]
      return spelling === "one dash" ? letter : [...letter, `${option}f`, `-1${option[1]}`]
    }
    const name = option.replace(/^--?/, "")
    const written = [option, `--${name}`, `${option}=f`, `${option} f`, `--${name.toUpperCase()}`]
    const kebab = `--${name.replace(/(?<=[a-z])[A-Z]/g, (upper) => `-${upper.toLowerCase()}`)}`
    const short = /getopt|any dashes|tar/.test(spelling) && name.length > 3 ? [`--${name.slice(0, -1)}`] : []
    return [...written, kebab, ...short]
  }

  it.each(rows)("of $name is asked, however it is written", ({ name, ...row }) => {
    const { options = "", harmless = "", promises = "", behind } = row
    const promise = promises.split(" ")[0]!
    const start = promise === "" ? name : `${name} ${promise}`
    for (const option of options.trim().split(/\s+/)) {
      for (const written of option === "" ? [] : spelled(option, row)) {
        if (` ${harmless} `.includes(` ${written} `)) continue
        const lines =
          behind === undefined ? [`${start} ${written}`, `${start} x ${written}`] : [`${start} ${written}`]
        for (const line of lines) {
          expect([line, decide(line, ".*", "^env|^ssh")]).toEqual([line, undefined])
        }
      }
    }
  })

  it.each(rows)("of $name has a source", ({ source }) => {
    expect(source).toMatch(/\w{2,}/)
  })
})
