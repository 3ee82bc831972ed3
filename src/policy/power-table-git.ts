/**
 * Subcommands of git. `git` itself stands for what many of them take: options of diffs and of transports.
 * Sources: git's manual pages, and https://gtfobins.github.io/gtfobins/git.
 */
import { names } from "./names.ts"
import type { PowerTable } from "./power-options.ts"

const page = (name: string): string => `git-${name}(1)`

const transport = /^ext::/

export const gitOptions: PowerTable = {
  git: {
    source: "git-diff(1), git-fetch-pack(1), git-grep(1)",
    long: names("output ext-diff open-files-in-pager upload-pack receive-pack exec"),
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
    long: names("config template separate-git-dir"),
    words: transport,
  },
  "git init": { source: page("init"), long: names("template separate-git-dir") },
  "git commit": { source: page("commit"), valued: "mFCct" },
  "git tag": { source: page("tag"), valued: "mFu" },
  "git rebase": { source: page("rebase"), short: "x", valued: "sXC" },
  "git difftool": { source: page("difftool"), short: "xt", long: names("extcmd tool gui") },
  "git mergetool": { source: page("mergetool"), short: "t", long: ["tool"] },
  "git archive": { source: page("archive"), short: "o", long: names("remote") },
  "git format-patch": { source: page("format-patch"), short: "o", long: names("output-directory") },
  "git bugreport|git diagnose": { source: page("bugreport"), short: "o", long: ["output-directory"] },
  "git svn": { source: page("svn"), short: "A", long: names("authors-prog authors-file") },
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
    long: names("add replace-all unset unset-all rename-section remove-section edit"),
    words: /^(set|unset|edit|rename-section|remove-section)$/,
    output: 1,
    takesNext: /^(--type|--default|-t|-f|--file|--blob)$/,
  },
  "git send-email": {
    source: page("send-email"),
    long: names("smtp-server sendmail-cmd to-cmd cc-cmd header-cmd transfer-encoding compose"),
  },
  "git instaweb": { source: page("instaweb"), short: "dbm", long: names("httpd browser module-path") },
  "git help": { source: `${page("help")}: -w runs a browser`, short: "wi", long: names("web info") },
  "git interpret-trailers": { source: page("interpret-trailers"), long: names("in-place trailer") },
  "git fast-export": { source: page("fast-export"), long: names("export-marks") },
  "git apply": { source: page("apply"), long: names("directory unsafe-paths build-fake-ancestor") },
  "git credential-store|git credential-cache": {
    source: page("credential-store"),
    long: names("file socket"),
    words: /^(store|erase)$/,
  },
  "git credential": { source: page("credential"), words: /^(fill|approve|reject)$/ },
  "git bundle": { source: page("bundle"), words: /^create$/ },
  "git fast-import": { source: page("fast-import"), long: names("export-marks export-pack-edges") },
  "git read-tree": { source: page("read-tree"), long: ["index-output"] },
  "git checkout-index": { source: page("checkout-index"), long: ["prefix"] },
  "git index-pack": { source: page("index-pack"), short: "o", long: ["rev-index"] },
  "git mailinfo": { source: page("mailinfo"), output: 0 },
  "git maintenance": { source: page("maintenance"), words: /^(start|stop|register|unregister)$/ },
  "git for-each-repo": { source: page("for-each-repo"), words: /./ },
  "git blame": { source: page("blame"), valued: "LSCM" },
  "git branch": { source: page("branch"), long: names("edit-description"), valued: "u" },
  "git notes": { source: page("notes"), valued: "mFCc" },
  "git replace": { source: page("replace"), short: "e", long: ["edit"] },
  "git log": { source: page("log"), valued: "SGLnO" },
  "git show": { source: page("show"), valued: "SGLnO" },
  "git diff": { source: page("diff"), valued: "SGlO" },
  "git push": { source: page("push"), valued: "o", words: transport },
}
