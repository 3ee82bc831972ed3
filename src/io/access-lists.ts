/**
 * Whether files have an access control list beside their mode. Node cannot ask the system, and a mode does not tell, so a
 * program is asked: `getfacl`, or `ls`, which marks such files. What is known to have none is not asked for again.
 */
import { execFile } from "node:child_process"
import type { BigIntStats } from "node:fs"
import type { RealFolder } from "./real-folder.ts"

interface Asking {
  readonly program: string
  readonly options: ReadonlyArray<string>
  /** Whether what the program wrote tells of a list. */
  readonly tells: (output: string) => boolean
}

/** A mode, and the mark behind it. */
const marked = /^[-\w]{10}\+/m

const askings: ReadonlyArray<Asking> =
  process.platform === "darwin"
    ? [{ program: "ls", options: ["-lden"], tells: (output) => /^ \d+: /m.test(output) }]
    : process.platform === "linux"
      ? [
          { program: "getfacl", options: ["-cpns"], tells: (output) => output.trim() !== "" },
          { program: "ls", options: ["-ldn"], tells: (output) => marked.test(output) },
        ]
      : []

/** Undefined where the program is not there. */
const ask = (folder: RealFolder, names: ReadonlyArray<string>, { program, options, tells }: Asking) =>
  new Promise<boolean | undefined>((answer) => {
    const args = [...options, "--", ...names]
    const settings = { cwd: folder.at("."), env: { ...process.env, LC_ALL: "C" }, timeout: 10_000 }
    execFile(program, args, settings, (failure, stdout) =>
      answer((failure as NodeJS.ErrnoException | null)?.code === "ENOENT" ? undefined : tells(stdout)),
    )
  })

/** Files without a list, with the time of their last change: a list that is given to one changes that. */
const plain = new Map<string, bigint>()
const maxPlain = 10_000
/** Some runtimes (Deno) tell times in whole seconds, in which much may change. */
const second = 1_000_000_000n

const keyOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

/** Remembers that a file has no list. */
export const rememberPlain = (info: BigIntStats): void => {
  if (info.ctimeNs % second === 0n) return
  if (plain.size >= maxPlain) plain.clear()
  plain.set(keyOf(info), info.ctimeNs)
}

export const isKnownPlain = (info: BigIntStats): boolean => plain.get(keyOf(info)) === info.ctimeNs

/** Whether one of the files in a folder has a list. False where no program can tell. */
export const haveAccessList = async (folder: RealFolder, names: ReadonlyArray<string>): Promise<boolean> => {
  for (const asking of askings) {
    const answer = await ask(folder, names, asking)
    if (answer !== undefined) return answer
  }
  return false
}
