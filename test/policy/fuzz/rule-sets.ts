/** The rules that the fuzzer asks, and what their lines may run. */
import type { RuleSet } from "./fuzz.ts"

const joined = (words: ReadonlyArray<string>): string => words.join(" ")

/** Two commands and nothing else: whatever else runs was misread. */
const narrow: RuleSet = {
  name: "narrow",
  allow: ["^(ls|git status)\\b"],
  deny: [],
  vocabulary: {
    commands: ["ls", "ls", "ls -la", "git status", "l's'"],
    baits: ["CMD", "CMD", "CMD x", "git push", "echo"],
  },
  bash: { functions: ["ls", "git", "CMD"] },
  permits: (words) => words[0] === "ls" || /^git status( |$)/.test(joined(words)),
}

const wrapped: RuleSet = {
  name: "wrapped",
  allow: ["^(env|xargs|eval|bash|sh|command|exec|trap|ls|find)\\b"],
  deny: [],
  vocabulary: {
    commands: [
      "ls",
      "env ls",
      "xargs ls",
      "eval ls",
      "bash -c ls",
      "command ls",
      "exec ls",
      "sh -c ls",
      "bash -c",
      "bash -k -c",
      "bash +O interactive_comments -ic",
      "eval",
      "sh -c",
      "trap",
      "bash -c 'ls; ls'",
      "eval 'ls; ls'",
      "env -u x ls",
      "echo x | xargs -n 1 ls",
      "bash <<'E'\nls\nE\n",
      "sh -c 'ls \"$1\"' x",
      "find . -exec ls {} +",
      "xargs -I {} ls {}",
    ],
    baits: ["CMD", "CMD x", "ls", "ls; ls"],
  },
  bash: {
    markers: ["ls", "CMD"],
    functions: ["ls", "CMD"],
    programs: ["/usr/bin/env", "/usr/bin/xargs", "/bin/bash", "/bin/sh", "/usr/bin/find"],
    builtins: true,
  },
  permits: (words) => words[0] === "ls",
}

const isOption = (word: string): boolean => word.startsWith("-")

/** Everything but two commands, however they are come by. */
const denied: RuleSet = {
  name: "denied",
  allow: ["[^]*"],
  deny: ["^npm publish", "touch\\s+PWN"],
  vocabulary: {
    commands: [
      "npm",
      "npm test",
      "npm pub{lish,}",
      "npm publis?",
      "npm --silent",
      "npm $x",
      "npm $(echo publish)",
      "npm 'pub'lis",
      "touch",
      "touch a",
      "touch --",
      "touch ./PWM",
      "touch ./P*",
      "touch $PWD/P",
      "touch P{W,V}N",
      "echo PWN | xargs",
      "xargs touch",
      "echo PWN | xargs touch",
      "bash -c 'touch $1' x",
      "bash -c 'npm $0'",
      "env npm",
      "command touch",
      "eval npm",
      "eval 'touch'",
      "find . -name 'P*' -exec touch {} ';'",
      "for c in publish; do npm $c; done; echo",
      "sh -c 'touch \"$0\"'",
      "forward npm",
      "forward",
      "forward -x",
      "forward_code",
      "forward_code 'npm test'",
      "forward_code npm",
      "echo",
      "ls",
    ],
    baits: ["publish", "PWN", "./PWN", "npm publish", "touch PWN", "touch ./PWN"],
  },
  bash: {
    scripts: {
      // What an unknown program writes is its own affair: here, a shell that it runs may not.
      forward: 'while case $1 in -*) ;; *sh) exit ;; *) false ;; esac; do shift; done\nexec "$@"',
      forward_code: 'exec bash -rc "$*"',
    },
    markers: ["npm", "touch", "ls"],
    functions: ["npm", "touch", "ls"],
    programs: ["/usr/bin/env", "/usr/bin/xargs", "/bin/bash", "/bin/sh", "/usr/bin/find"],
    builtins: true,
    files: ["publish", "PWN"],
  },
  permits: ([name, ...args]) => {
    const operand = args.find((word) => !isOption(word)) ?? ""
    if (name === "npm") return operand !== "publish"
    return name !== "touch" || operand.replace(/^(\.\/+)+/, "") !== "PWN"
  },
}

export const ruleSets: ReadonlyArray<RuleSet> = [narrow, wrapped, denied]
