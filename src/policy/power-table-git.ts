/**
 * Subcommands of git. `git` itself stands for what many of them take: options of diffs and of transports.
 * Sources: git's manual pages, and https://gtfobins.github.io/gtfobins/git.
 */
import type { PowerTable } from "./power-options.ts"

const list = (names: string): ReadonlyArray<string> => names.trim().split(/\s+/)

const page = (name: string): string => `git-${name}(1)`

const transport = /^ext::/

export const gitOptions: PowerTable = {
  git: {
    source: "git-diff(1), git-fetch-pack(1), git-grep(1)",
    long: list("output ext-diff open-files-in-pager upload-pack receive-pack exec"),
  },
  "git grep": { source: page("grep"), short: "O", valued: "efmABCGm" },
  "git fetch|git pull|git ls-remote|git fetch-pack|git send-pack|git http-fetch": {
    source: page("fetch"),
    words: transport,
  },
  "git clone": {
    source: page("clone"),
    short: "uc",
    valued: "bojl",
    long: list("config template separate-git-dir"),
    words: transport,
  },
  "git init": { source: page("init"), long: list("template separate-git-dir") },
  "git commit": { source: page("commit"), valued: "mFCct" },
  "git tag": { source: page("tag"), valued: "mFu" },
  "git rebase": { source: page("rebase"), short: "x", valued: "sXC" },
  "git difftool": { source: page("difftool"), short: "xt", long: list("extcmd tool gui") },
  "git mergetool": { source: page("mergetool"), short: "t", long: ["tool"] },
  "git archive": { source: page("archive"), short: "o", long: list("remote") },
  "git format-patch": { source: page("format-patch"), short: "o", long: list("output-directory") },
  "git bugreport|git diagnose": { source: page("bugreport"), short: "o", long: ["output-directory"] },
  "git svn": { source: page("svn"), short: "A", long: list("authors-prog authors-file") },
  "git daemon": { source: page("daemon"), long: ["access-hook"] },
  "git shell": { source: page("shell"), short: "c" },
  "git remote-ext": { source: "git-remote-ext(1): its operand is a command", words: /./ },
  "git mailsplit": { source: page("mailsplit"), short: "o" },
  "git bisect": { source: page("bisect"), words: /^(run|view|visualize|replay)$/ },
  "git submodule": { source: page("submodule"), words: /^(foreach|add|set-url)$|^ext::/ },
  "git stash": { source: page("stash"), valued: "m" },
  "git remote": { source: page("remote"), words: /^(add|set-url)$|^ext::/ },
  "git filter-branch": {
    source: page("filter-branch"),
    words: /-filter$|^--(setup|state-branch)/,
    short: "d",
  },
  "git config": {
    source: `${page("config")}: aliases, hooks, pagers and editors are commands`,
    short: "e",
    valued: "f",
    long: list("add replace-all unset unset-all rename-section remove-section edit"),
    words: /^(set|unset|edit|rename-section|remove-section)$/,
    output: 1,
    takesNext: /^(--type|--default|-t|-f|--file|--blob)$/,
  },
  "git send-email": {
    source: page("send-email"),
    long: list("smtp-server sendmail-cmd to-cmd cc-cmd header-cmd transfer-encoding compose"),
  },
  "git instaweb": { source: page("instaweb"), short: "dbm", long: list("httpd browser module-path") },
  "git help": { source: `${page("help")}: -w runs a browser`, short: "wi", long: list("web info") },
  "git interpret-trailers": { source: page("interpret-trailers"), long: list("in-place trailer") },
  "git fast-export": { source: page("fast-export"), long: list("export-marks") },
  "git apply": { source: page("apply"), long: list("directory unsafe-paths build-fake-ancestor") },
  "git for-each-repo": { source: page("for-each-repo"), words: /./ },
  "git blame": { source: page("blame"), valued: "LSCM" },
  "git branch": { source: page("branch"), long: list("edit-description"), valued: "u" },
  "git notes": { source: page("notes"), valued: "mFCc" },
  "git replace": { source: page("replace"), short: "e", long: ["edit"] },
  "git log": { source: page("log"), valued: "SGLnO" },
  "git show": { source: page("show"), valued: "SGLnO" },
  "git diff": { source: page("diff"), valued: "SGlO" },
  "git push": { source: page("push"), valued: "o", words: transport },
}
