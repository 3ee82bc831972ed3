/**
 * Subcommands of git; `git *` has the options that many of them take, for diffs and transports. For a subcommand that reads by
 * default (`git branch`, `git remote`), a rule has to name the word that deletes, moves or replaces something. Sources: git's
 * manual pages, and https://gtfobins.github.io/gtfobins/git.
 */
import type { PowerTable } from "./power-table.ts"

const page = (name: string): string => `git-${name}(1)`

const transport = /^ext::/

const configOptions = [
  "[lz]+|-list|-null|-get|-get-(all|regexp|urlmatch|color|colorbool)",
  "-(global|system|local|worktree|includes|no-includes)|f|-(file|blob)(=.*)?",
  "t|-type(=.*)?|-(bool|int|bool-or-int|bool-or-str|path|expiry-date)|-(default|value|url)(=.*)?",
  "-(all|regexp|fixed-value|name-only|show-names|show-origin|show-scope)",
].join("|")

export const gitOptions: PowerTable = {
  git: {
    source:
      "git(1): -c alias.x='!rm y' x; another folder has another configuration, which runs other programs",
    // All options except those that only change how git displays its output.
    words: /^-(?!([hvP]|-no-pager|-no-optional-locks|-literal-pathspecs|-version|-help)$)/,
    valued: "-C -c --git-dir --work-tree --namespace --config-env",
    behind: "another's",
  },
  "git *": {
    source: "git-diff(1), git-fetch-pack(1), git-grep(1)",
    options: "--output --ext-diff --open-files-in-pager --upload-pack --receive-pack --exec",
  },
  "git grep": { source: page("grep"), options: "-O", valued: "-e -f -m -A -B -C" },
  "git fetch|git pull|git ls-remote|git fetch-pack|git send-pack|git http-fetch": {
    source: page("fetch"),
    words: transport,
  },
  "git clone|git-clone": {
    source: page("clone"),
    options: "-u -c --config --template --separate-git-dir --upload-pack",
    valued: "-b -o -j",
    words: transport,
  },
  "git init": { source: page("init"), options: "--template --separate-git-dir" },
  "git commit": { source: page("commit"), valued: "-m -F -C -c -t" },
  "git tag": { source: page("tag"), options: "-d -f --delete --force", valued: "-m -F -u" },
  "git reflog": { source: page("reflog"), options: "expire delete drop write" },
  "git symbolic-ref": { source: page("symbolic-ref"), options: "-d --delete", valued: "-m", output: 1 },
  "git rerere": { source: page("rerere"), options: "clear forget gc" },
  "git rebase": { source: page("rebase"), options: "-x", valued: "-s -X -C" },
  "git difftool": { source: page("difftool"), options: "-x -t --extcmd --tool --gui" },
  "git mergetool": { source: page("mergetool"), options: "-t --tool" },
  "git archive": { source: page("archive"), options: "-o --remote" },
  "git format-patch": { source: page("format-patch"), options: "-o --output-directory" },
  "git bugreport|git diagnose": { source: page("bugreport"), options: "-o --output-directory" },
  "git svn": { source: page("svn"), options: "-A --authors-prog --authors-file" },
  "git daemon": { source: page("daemon"), options: "--access-hook --pid-file" },
  "git shell": { source: page("shell"), options: "-c" },
  "git remote-ext": { source: "git-remote-ext(1): its operand is a command", words: /./ },
  "git mailsplit": { source: page("mailsplit"), options: "-o" },
  "git bisect": { source: page("bisect"), options: "run view visualize replay" },
  "git merge-index": { source: `${page("merge-index")}: its operand is a program`, words: /^[^-]/ },
  "git merge-file": { source: page("merge-file"), valued: "-L", output: 0 },
  "git pack-objects": { source: page("pack-objects"), output: 0 },
  "git submodule|git submodule--helper": {
    source: page("submodule"),
    options: "foreach add set-url set-branch init update deinit sync absorbgitdirs ext::*",
  },
  "git remote": {
    source: page("remote"),
    options: "add rename remove rm set-head set-branches set-url prune update ext::*",
  },
  "git filter-branch": {
    source: page("filter-branch"),
    options: "-d --setup --state-branch",
    words: /-filter$/,
  },
  "git config": {
    source: `${page("config")}: aliases, hooks, pagers and editors are commands`,
    options: "edit set unset rename-section remove-section",
    // All options except those that are known to read, or to select a place or a format: `--no-get` revokes `--get`.
    words: new RegExp(`^-(?!(${configOptions})$)`),
    valued: "-f -t --type --default --file --blob --value --url",
    output: 1,
    behind: "operands",
    reads: "get list -l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool",
  },
  "git send-email": {
    source: page("send-email"),
    options: `
      --smtp-server --sendmail-cmd --to-cmd --cc-cmd --header-cmd --transfer-encoding --compose
    `,
  },
  "git instaweb": { source: page("instaweb"), options: "-d -b -m --httpd --browser --module-path" },
  "git help": { source: `${page("help")}: -w runs a browser`, options: "-w -i --web --info" },
  "git interpret-trailers": { source: page("interpret-trailers"), options: "--in-place --trailer" },
  "git fast-export": { source: page("fast-export"), options: "--export-marks" },
  "git apply": { source: page("apply"), options: "--directory --unsafe-paths --build-fake-ancestor --apply" },
  "git credential-store|git credential-cache": {
    source: page("credential-store"),
    options: "--file --socket store erase",
  },
  "git hash-object": { source: page("hash-object"), options: "-w", valued: "-t" },
  "git fsck": { source: page("fsck"), options: "--lost-found" },
  "git credential": { source: page("credential"), options: "fill approve reject" },
  "git bundle": { source: page("bundle"), options: "create" },
  "git fast-import": { source: page("fast-import"), options: "--export-marks --export-pack-edges" },
  "git read-tree": { source: page("read-tree"), options: "--index-output" },
  "git checkout-index": { source: page("checkout-index"), options: "--prefix" },
  "git index-pack": { source: page("index-pack"), options: "-o --rev-index" },
  "git mailinfo": { source: page("mailinfo"), output: 0 },
  "git maintenance": { source: page("maintenance"), options: "start stop register unregister" },
  "git for-each-repo": { source: page("for-each-repo"), words: /./ },
  "git blame": { source: page("blame"), valued: "-L -S -C? -M?" },
  "git branch": {
    source: page("branch"),
    options: `
      -d -D -m -M -c -C -f -u --delete --move --copy --force --set-upstream-to --unset-upstream --edit-description
      --no-list
    `,
  },
  "git notes": {
    source: page("notes"),
    options: "add append copy edit merge prune remove",
    valued: "-m -F -C -c",
  },
  "git replace": {
    source: page("replace"),
    options: "-d -e -f -g --convert-graft-file --delete --edit --force --graft",
  },
  "git log": { source: page("log"), valued: "-S -G -L -n -O" },
  "git show": { source: page("show"), valued: "-S -G -L -n -O" },
  "git diff": { source: page("diff"), valued: "-S -G -l -O" },
  "git push": { source: page("push"), valued: "-o", words: transport },
}
