/**
 * Ends all processes that this process has started when this process ends, also by SIGKILL: a small shell waits on a pipe
 * from this process, and reads its end when this process is gone. It is started with the first run, does not keep this
 * process alive, and costs nothing while it waits.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"
import { hostMark } from "./run-marker.ts"

/**
 * `$1` is the mark: every process that carries it is ended. Input lines add and drop other targets: `+GROUP` and `-GROUP` a
 * process group, `=PIPE` and `!PIPE` the writers of a pipe; `/FOLDER` is a folder to remove. Processes have a third of a
 * second to exit. Without /proc, only the groups are known.
 */
const script = `
trap '' HUP INT QUIT TERM PIPE
mark=$1 groups=' ' pipes=' ' since=0
{ read -r line < "/proc/$PPID/stat"; } && { set -- \${line##*) }; since=\${20}; }
set --
while read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) group=" \${line#-} "; groups="\${groups%%"$group"*} \${groups#*"$group"}" ;;
    =*) pipes="$pipes\${line#=} " ;;
    !*) pipe=" \${line#!} "; pipes="\${pipes%%"$pipe"*} \${pipes#*"$pipe"}" ;;
    /*) set -- "$@" "$line" ;;
  esac
done
find_alive() {
  {
    [ "$pipes" = ' ' ] || ls -l /proc/[0-9]*/fd/1 /proc/[0-9]*/fd/2
    cat /proc/[0-9]*/stat
  } | awk -v since="$since" -v groups="$groups" -v pipes="$pipes" '
    /^l/ { if (index(pipes, " " $NF " ")) { split($(NF - 2), path, "/"); holds[path[3]] = 1 }; next }
    { pid = $1; sub(/.*[)] /, "") }
    $20 < since || $1 ~ /[ZX]/ { next }
    index(groups, " " $3 " ") || index(groups, " " $4 " ") || pid in holds { print "member", pid; next }
    { print "other", pid }' | {
    files=/dev/null
    while read -r kind pid; do
      case $kind in member) echo "$pid" ;; *) files="$files /proc/$pid/environ" ;; esac
    done
    grep -lsFe "$mark" $files | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
  }
}
signal_groups() { for group in $groups; do kill -s "$1" -- "-$group"; done; }
pids=$(find_alive)
if [ "$groups$pids" != ' ' ]; then
  [ -z "$pids" ] && signal_groups TERM || kill -s TERM $pids
  for pause in 0.05 0.1 0.15; do
    sleep "$pause"
    pids=$(find_alive)
    [ -n "$pids" ] || break
  done
  signal_groups KILL
  for round in 1 2 3 4 5 6 7 8; do
    [ -n "$pids" ] || break
    kill -s KILL $pids
    sleep 0.05
    pids=$(find_alive)
  done
fi
[ $# = 0 ] || rm -rf -- "$@"
`

/** The end of a run is sent with the next start, or after this many milliseconds. */
const tellAfter = 100

const ignore = () => {}

class Reaper {
  private readonly groups = new Set<number>()
  private readonly folders = new Set<string>()
  private readonly pipes = new Set<string>()
  /** Lines not sent yet. */
  private lines = ""
  private timer: NodeJS.Timeout | undefined
  private shell: ChildProcess | undefined

  /** Registers a process group. Call the returned function once the run has ended. */
  watch(group: number | undefined): () => void {
    if (group === undefined) return ignore
    this.shell ??= this.start()
    this.groups.add(group)
    this.lines += `+${group}\n`
    this.tell()
    return () => {
      this.groups.delete(group)
      this.lines += `-${group}\n`
      this.tellLater()
    }
  }

  /** Registers the writers of a run's pipes, as named by `pipesOf`, until the pipes end. Call it before `watch`. */
  watchPipes(pipes: ReadonlyArray<string>, ended: Promise<void>): void {
    if (pipes.length === 0) return
    for (const pipe of pipes) {
      this.pipes.add(pipe)
      this.lines += `=${pipe}\n`
    }
    const forget = () => {
      for (const pipe of pipes) {
        this.pipes.delete(pipe)
        this.lines += `!${pipe}\n`
      }
      this.tellLater()
    }
    ended.then(forget, forget)
  }

  /** Registers a folder, absolute, to be removed when this process has ended. */
  removes(folder: string): void {
    if (folder.includes("\n")) return
    this.shell ??= this.start()
    this.folders.add(folder)
    this.lines += `${folder}\n`
    this.tell()
  }

  /** Unregisters a removed folder. The running shell would find nothing to remove; a new shell does not get it. */
  removed(folder: string): void {
    this.folders.delete(folder)
  }

  private tellLater(): void {
    this.timer ??= setTimeout(() => this.tell(), tellAfter).unref()
  }

  private tell(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.shell?.stdin?.write(this.lines)
    this.lines = ""
  }

  /** Starts the shell. If it is killed, the next run starts another. */
  private start(): ChildProcess {
    const shell = spawn("sh", ["-c", script, "stepline-reaper", hostMark], {
      cwd: "/",
      env: { PATH: process.env.PATH },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    })
    const forget = () => {
      if (this.shell === shell) this.shell = undefined
    }
    shell.once("error", ignore)
    shell.once("exit", forget)
    shell.stdin.on("error", forget)
    shell.unref()
    // In Bun it is not a socket, and does not keep the process alive.
    ;(shell.stdin as Partial<Socket>).unref?.()
    const groups = [...this.groups].map((group) => `+${group}`)
    const pipes = [...this.pipes].map((pipe) => `=${pipe}`)
    const lines = [...groups, ...pipes, ...this.folders]
    this.lines = lines.map((line) => `${line}\n`).join("")
    return shell
  }
}

export const reaper = new Reaper()
