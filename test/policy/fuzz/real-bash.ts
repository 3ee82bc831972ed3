/**
 * Runs command lines in bash, each in a process of its own, and tells what commands they ran. No program is found on
 * their PATH but markers; what is not found at all, builtins that were switched off included, is told by
 * `command_not_found_handle`, which costs no program's start.
 */
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { processesOf, type SessionProcess } from "./session.ts"

/** One command that ran: its name and arguments, as it got them. */
export interface Ran {
  /** Which line ran it. */
  readonly line: number
  readonly words: ReadonlyArray<string>
}

export interface BatchResult {
  readonly ran: ReadonlyArray<Ran>
  /** What appeared in the folder, or vanished from it. */
  readonly changed: ReadonlyArray<string>
}

/** Switched off, so that they are told of as well. The rest, the functions need. */
const builtins =
  ". : [ alias bg bind break caller cd compgen complete compopt continue declare dirs disown echo exec exit export " +
  "false fc fg getopts hash help history jobs let local logout mapfile popd pushd pwd read readarray readonly return set " +
  "shift shopt source suspend test times trap true type typeset umask unalias unset wait"

/**
 * What each line's bash reads first. What tells of itself is a function too, where bash itself runs it: that saves a process.
 * A line that runs on and on is ended at some random command.
 */
const prelude = (functions: ReadonlyArray<string>): string => `export FUZZ_SHELL=\${FUZZ_SHELL:-$$}
mark() {
  words=("$FUZZ_LINE" "$@" $'\\1')
  builtin printf '%s\\0' "\${words[@]//$'\\n'/$'\\2'}" >&200
  (( RANDOM % 24 )) || builtin kill -9 $FUZZ_SHELL
  ! (( RANDOM % 2 ))
}
${functions.map((name) => `${name}() { mark ${name} "$@"; }\n`).join("")}
command_not_found_handle() {
  if [[ -n $marking ]]; then builtin kill -9 $FUZZ_SHELL; fi
  marking=1
  mark "$@"
}
[[ -n $FUZZ_BUILTINS ]] || enable -n ${builtins} command enable
`

/**
 * `fork` reads each line in a fork of one bash, by the same `parse_and_execute` as `bash -c`. What an `eval` in a subshell has
 * otherwise is taken away or alike: no aliases are defined, no history is kept, no job control, the same empty standard
 * input, no positional parameters; only `$0` has another value. It costs a fifth; the start of a program is most of the rest.
 */
const driver = `exec 200> >(exec cat >&3) 3>&-
cd "$1" || exit
mapfile -d '' -t lines < "$2"
mode=$3 prelude=$4 bin=$5 number=0
set --
export FUZZ_LINE FUZZ_SHELL
if [[ $mode == fork ]]; then
  export BASH_ENV=$prelude PATH=$bin
  source "$prelude"
  for line in "\${lines[@]}"; do
    ( FUZZ_LINE=$number FUZZ_SHELL=$BASHPID; ulimit -t 1; builtin eval "$line" ) < /dev/null > /dev/null 2>&1
    number=$((number + 1))
  done
else
  ulimit -t 1
  for line in "\${lines[@]}"; do
    FUZZ_LINE=$number PATH=$bin BASH_ENV=$prelude /bin/bash -c "$line" < /dev/null > /dev/null 2>&1
    number=$((number + 1))
  done
fi
`

/**
 * A program that tells of itself. One that bash reads as its script, for which it searches PATH too, is no command: a rule
 * that allows an interpreter allows that. sh starts faster than bash, and writes all of it at once, but names no descriptor
 * above 9.
 */
const marker = `#!/bin/sh
[ -z "$BASH_VERSION" ] || exit
printf '%s\\0' "$FUZZ_LINE" "\${0##*/}" "$@" '\x01' > /dev/fd/200
[ $(($$ % 16)) != 0 ] || kill -9 $FUZZ_SHELL
[ $(($$ % 2)) = 0 ]
`

export interface RealBashOptions {
  /** Names of programs that are found and tell of themselves. */
  readonly markers?: ReadonlyArray<string>
  /** Programs that are found as they are. */
  readonly programs?: ReadonlyArray<string>
  /** Programs that run others, by name: scripts for sh. */
  readonly scripts?: Readonly<Record<string, string>>
  /** Whether bash's builtins do what they do, unseen. */
  readonly builtins?: boolean
  /** Names of functions that tell of themselves. */
  readonly functions?: ReadonlyArray<string>
  /** How long a process may last, in milliseconds: some lines wait for themselves. Default 10 seconds. */
  readonly patience?: number
  /** What stands in the folder, to be found by patterns. */
  readonly files?: ReadonlyArray<string>
}

export class RealBash {
  private readonly root = mkdtempSync(join(tmpdir(), "policy-fuzz-"))
  private readonly options: RealBashOptions

  constructor(options: RealBashOptions = {}) {
    this.options = options
    const bin = join(this.root, "bin")
    mkdirSync(bin)
    const program = (name: string, text: string) => {
      writeFileSync(join(bin, name), text)
      chmodSync(join(bin, name), 0o755)
    }
    for (const name of options.markers ?? []) program(name, marker)
    for (const [name, body] of Object.entries(options.scripts ?? {})) program(name, `#!/bin/sh\n${body}\n`)
    for (const path of options.programs ?? [])
      symlinkSync(path, join(bin, path.slice(path.lastIndexOf("/") + 1)))
    writeFileSync(join(this.root, "prelude"), prelude(options.functions ?? []))
    writeFileSync(join(this.root, "driver"), driver)
  }

  /** A line that does not end is ended. */
  async run(lines: ReadonlyArray<string>, mode: "fork" | "bash -c"): Promise<BatchResult> {
    const { root, options } = this
    const folder = join(root, "cwd")
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    const files = options.files ?? []
    for (const name of files) writeFileSync(join(folder, name), "")
    writeFileSync(join(root, "lines"), lines.map((line) => `${line}\0`).join(""))
    const told = await this.drive(folder, mode)
    const left = new Set(readdirSync(folder))
    const changed = [
      ...files.filter((name) => !left.has(name)),
      ...[...left].filter((name) => !files.includes(name)),
    ]
    return { ran: readRan(told), changed }
  }

  private drive(folder: string, mode: string): Promise<string> {
    const path = (name: string): string => join(this.root, name)
    const args = [path("driver"), folder, path("lines"), mode, path("prelude"), path("bin")]
    const child = spawn("/bin/bash", args, {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: {
        PATH: "/usr/bin:/bin",
        LC_ALL: "C.UTF-8",
        HOME: folder,
        ...(this.options.builtins === true && { FUZZ_BUILTINS: "1" }),
      },
      detached: true,
    })
    return new Promise((resolve, reject) => {
      const chunks: Array<Buffer> = []
      const watchdog = endStuck(child.pid!, this.options.patience ?? 10_000)
      child.stdio[3]!.on("data", (chunk: Buffer) => chunks.push(chunk))
      child.on("error", reject)
      // Not before everything that was started has closed the pipe.
      child.on("close", () => {
        clearInterval(watchdog)
        resolve(Buffer.concat(chunks).toString("utf8"))
      })
    })
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

/** `coproc xargs | xargs` is a circle. Ends what a driver's lines have started and is still there at the next look. */
const endStuck = (driver: number, patience: number): NodeJS.Timeout => {
  let before = new Set<number>()
  return setInterval(() => {
    const isOwn = ({ pid, parent, name }: SessionProcess) =>
      pid === driver || (parent === driver && name === "cat")
    const started = processesOf(driver).filter((each) => !isOwn(each))
    for (const { pid } of started) if (before.has(pid)) killIfThere(pid)
    before = new Set(started.map(({ pid }) => pid))
  }, patience)
}

const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has just ended.
  }
}

const readRan = (told: string): Array<Ran> =>
  told
    .split("\0\x01\0")
    .filter((record) => record !== "")
    .map((record) => {
      const [line, ...words] = record.replaceAll("\x02", "\n").split("\0")
      return { line: Number(line), words }
    })
