/** How a program uses its operands: as data, or as a command that it may run. For guesses, which only deny rules use. */
import { isDash, isOneWord } from "./arguments.ts"
import { bareName } from "./command-shape.ts"
import { escapes } from "./escapes.ts"
import { names } from "./names.ts"
import { runnerOf } from "./runners.ts"
import type { ShellWord } from "./shell-word.ts"

/** Programs that do not run anything that their operands name, except by options in the tables of power-options.ts. */
const dataPrograms = new Set(
  names(`
    git ls dir tree cat tac head tail less more wc grep egrep fgrep rg ag ack sort uniq cut paste join comm tr nl fold
    column stat file du df basename dirname realpath readlink diff cmp md5sum sha1sum sha256sum sha512sum cksum base64 xxd
    od hexdump strings cd pushd popd pwd mkdir rmdir cp mv rm ln touch chmod chown chgrp mktemp truncate tee
    test [ true false : which whereis type date cal sleep seq kill pkill pgrep ps jq yq id whoami uname hostname
    apt apt-get apt-cache aptitude sqlite3 psql mysql mariadb
  `),
)

/** Whether a program runs none of its operands. */
export const isDataProgram = (name: string): boolean => dataPrograms.has(name)

const scripted = new Set(names("sed gsed awk gawk mawk nawk"))

const packages =
  "install i add remove rm uninstall un purge update upgrade reinstall search show info list ls"
const containers = `
  ps ls rm kill stop start restart pause unpause logs inspect wait port rename diff stats events images pull push down up
`

/** Subcommands, directly after the program, whose operands are data too. */
const dataSubcommands: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      ["dnf yum zypper apk brew port gem pip pip3 npm pnpm yarn bun cargo conda poetry pipenv uv", packages],
      [
        "docker podman nerdctl",
        `${containers} rmi tag history save load export import cp volume network image`,
      ],
      ["gh", "pr issue release run workflow auth search label gist cache secret variable repo status"],
      [
        "kubectl oc",
        `
          get describe logs top explain api-resources api-versions version cluster-info config rollout wait diff
          delete
        `,
      ],
    ] as const
  ).flatMap(([programs, subcommands]) => {
    const known = new Set(names(subcommands))
    return names(programs).map((program) => [program, known] as const)
  }),
)

const isDocker = (program: string): boolean => /^(docker|podman|nerdctl)$/.test(program)

/** Subcommands that have subcommands, with those whose operands are data. */
const groups: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["compose", new Set(names(`${containers} config`))],
  ["container", new Set(names(containers))],
])

/** Programs whose first operand is a subcommand. */
const haveSubcommands = new Set(
  names(`
    docker podman nerdctl kubectl oc helm gh glab cargo go rustup npm uv pip pip3 poetry pipenv conda
    brew apt apt-get dnf yum pacman snap systemctl launchctl aws gcloud az terraform vagrant svn hg jj
  `),
)

/** Whether a command runs none of its operands, except by an option. */
export const hasDataOperands = (words: ReadonlyArray<ShellWord>): boolean => {
  const [program = "", subcommand = "", nested = ""] = words.map(({ text }) => bareName(text))
  if (dataPrograms.has(program)) return true
  // A script that only edits or prints is data.
  if (scripted.has(program)) return !escapes(program, words.slice(1))
  if (dataSubcommands.get(program)?.has(subcommand) === true) return true
  return isDocker(program) && groups.get(subcommand)?.has(nested) === true
}

/** The first word at which a command that the program runs may begin. */
export const firstCommandWord = (words: ReadonlyArray<ShellWord>): number => {
  const [program = "", subcommand = ""] = words.map(({ text }) => bareName(text))
  if (!haveSubcommands.has(program)) return 1
  return isDocker(program) && groups.has(subcommand) ? 3 : 2
}

const inContainer =
  /^(docker|podman|nerdctl)( compose| container)? (run|exec)$|^docker-compose (run|exec)$|^(kubectl|oc) (exec|run|debug)$/

/** The first word that may name the program to run, and the number of operands before it. */
const runStart = (
  words: ReadonlyArray<ShellWord>,
): { readonly from: number; readonly operands: number } | undefined => {
  const runner = runnerOf(words)
  if (runner !== undefined) return runner.any ? { from: runner.from, operands: 0 } : undefined
  const first = words.slice(0, 3).map(({ text }) => bareName(text))
  const length = [3, 2].find((count) => inContainer.test(first.slice(0, count).join(" ")))
  return length === undefined ? undefined : { from: length, operands: 1 }
}

/** The word that begins a command that is known only when the line runs: `npx $x`, `docker run image $x`. */
export const unknownCommand = (words: ReadonlyArray<ShellWord>): number | undefined => {
  const start = runStart(words)
  if (start === undefined) return undefined
  let operands = 0
  for (let at = start.from; at < words.length; at += 1) {
    const word = words[at]!
    const mayBeValue = at > start.from && isDash(words[at - 1]!) && words[at - 1]!.text !== "--"
    if (isDash(word)) continue
    const isUnknown = word.pieces[0] === undefined || word.pieces[0] === ""
    const isCertain = start.operands > 0 && mayBeValue && isOneWord(word)
    if (!word.literal && isUnknown && !isCertain && (operands >= start.operands || !isOneWord(word)))
      return at
    if (mayBeValue) continue
    operands += 1
    if (operands > start.operands) return undefined
  }
  return undefined
}
