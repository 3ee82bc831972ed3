/**
 * Files and folders that make a program on this machine run code as a side effect: when a folder is opened in an editor,
 * entered in a shell, given to an agent, committed. Not included: what runs when somebody builds, tests or starts the
 * project (`package.json`, a Makefile, `node_modules`), and what runs on another machine (CI).
 */

import { basename } from "node:path"

/** The programs that read them, and their names. */
const readers: ReadonlyArray<readonly [program: string, names: string]> = [
  ["bash, sh", ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile"],
  ["zsh", ".zshrc .zshenv .zprofile .zlogin .zlogout"],
  ["csh, tcsh, ksh, mksh, fish", ".cshrc .tcshrc .login .logout .kshrc .mkshrc .config/fish"],
  ["X sessions", ".xinitrc .xprofile .xsession .xsessionrc"],
  [
    "systemd, desktops, launchd",
    ".config/systemd .config/environment.d .config/autostart Library/LaunchAgents",
  ],
  ["ssh, sshd", ".ssh"],
  ["direnv, mise, rvm", ".envrc .mise .mise.toml mise.toml .config/mise.toml .rvmrc"],
  ["git", ".gitconfig .config/git .gitmodules"],
  [
    "hooks of git that the project keeps",
    ".husky .githooks .lefthook lefthook.yml lefthook-local.yml .lefthook.yml",
  ],
  ["pre-commit, overcommit", ".pre-commit-config.yaml .overcommit.yml"],
  ["jj, hg, rg", ".jjconfig.toml .jj/repo/config.toml .hgrc .hg/hgrc .ripgreprc"],
  ["npm, yarn, pnpm", ".npmrc .yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .pnpmfile.cjs .pnpmfile.mjs"],
  ["cargo", ".cargo/config .cargo/config.toml"],
  ["VS Code and its kin, JetBrains, Zed", ".vscode .devcontainer .devcontainer.json .idea .fleet .zed"],
  ["Helix, Visual Studio", ".helix .vs"],
  ["vim, Neovim", ".vimrc .vim .exrc .nvimrc .nvim.lua .lvimrc .config/nvim"],
  ["Emacs", ".emacs .emacs.d .dir-locals.el .dir-locals-2.el"],
  ["Claude Code, Codex, MCP clients", ".claude .claude.json .codex .mcp.json"],
  ["oh-my-pi, pi, stepline", ".omp .pi .stepline"],
  ["Cursor, Windsurf, Gemini CLI, Qwen Code, Kiro", ".cursor .windsurf .gemini .qwen .kiro"],
  ["Roo, Cline, Continue, Amazon Q, Junie, Trae", ".roo .clinerules .continue .amazonq .junie .trae"],
  ["Augment, Factory, Amp, Copilot", ".augment .factory .amp .copilot .github/hooks"],
  ["opencode, Crush, aider", ".opencode opencode.json opencode.jsonc .crush.json crush.json .aider.conf.yml"],
  ["gdb, lldb, pdb, perl -d", ".gdbinit .lldbinit .pdbrc .perldb"],
  [
    "R, octave, ghci, irb, pry, rdbg, iex",
    ".Rprofile .octaverc .ghci .irbrc .pryrc .rdbgrc .rdbgrc.rb .iex.exs",
  ],
  ["tmux, screen", ".tmux.conf .screenrc"],
]

/** A VS Code workspace, of any name, with tasks and settings. */
const workspace = /\.code-workspace$/

const names = readers.flatMap(([, text]) => text.split(" "))
/** Lower case, because file systems of macOS ignore case. */
const known = new Set(names.map((name) => name.toLowerCase()))
const longest = Math.max(...names.map((name) => name.split("/").length))

/** A quick check of the last part of a path, since most paths do not match. */
const ends = new Set([...known].map((name) => basename(name)))

/** Whether a path names such a file or folder. */
export const runsLater = (path: string): boolean => {
  const name = basename(path).toLowerCase()
  if (!ends.has(name)) return workspace.test(name)
  const parts = path.toLowerCase().split("/").slice(-longest)
  return parts.some((_, index) => known.has(parts.slice(index).join("/")))
}

/** Whether a path below a folder is such a file or folder, or lies in one. */
export const isInRunsLater = (folder: string, path: string): boolean => {
  const parts = path.slice(folder.length).split("/")
  return parts.some((_, index) => runsLater(parts.slice(0, index + 1).join("/")))
}

/**
 * The names that cannot be created at the top of a writable folder, where an open shell, editor or agent could read them at
 * once. An empty file or folder is mounted in their place, which is harmless to its readers, but costs time.
 */
export const keptEmpty: ReadonlyArray<string> = [
  ".bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .ssh .envrc .npmrc",
  ".gitconfig .gitmodules .ripgreprc .husky .githooks",
  ".vscode .idea .fleet .zed .helix .devcontainer .exrc .nvim.lua",
  ".claude .mcp.json .codex .omp .pi .stepline .cursor .gemini .windsurf .kiro",
].flatMap((text) => text.split(" "))
