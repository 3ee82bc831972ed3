/**
 * Detects whether files have an access control list in addition to their mode. Node has no API for it, and the mode does not
 * show it, so a program is run: `getfacl`, or `ls`, which marks such files. A file known to have no list is not checked
 * again.
 */
import { execFile } from "node:child_process"
import type { BigIntStats } from "node:fs"
import type { RealFolder } from "./real-folder.ts"

interface Asking {
  readonly program: string
  readonly options: ReadonlyArray<string>
  /** Whether the program's output shows a list. */
  readonly tells: (output: string) => boolean
}

/** A mode, followed by the mark. */
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

/** Returns undefined if the program is not installed. */
const ask = (folder: RealFolder, names: ReadonlyArray<string>, { program, options, tells }: Asking) =>
  new Promise<boolean | undefined>((answer) => {
    const args = [...options, "--", ...names]
    const settings = { cwd: folder.at("."), env: { ...process.env, LC_ALL: "C" }, timeout: 10_000 }
    execFile(program, args, settings, (failure, stdout) =>
      answer((failure as NodeJS.ErrnoException | null)?.code === "ENOENT" ? undefined : tells(stdout)),
    )
  })

/** Files without a list, with their change time (ctime), which changes when a file gets a list. */
const plain = new Map<string, bigint>()
const maxPlain = 10_000
/** Some runtimes (Deno) report times in whole seconds, too coarse to detect a change. */
const second = 1_000_000_000n

const keyOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

/** Records that a file has no list. */
export const rememberPlain = (info: BigIntStats): void => {
  if (info.ctimeNs % second === 0n) return
  if (plain.size >= maxPlain) plain.clear()
  plain.set(keyOf(info), info.ctimeNs)
}

export const isKnownPlain = (info: BigIntStats): boolean => plain.get(keyOf(info)) === info.ctimeNs

/** Whether one of the files in a folder has a list. False if no program is available. */
export const haveAccessList = async (folder: RealFolder, names: ReadonlyArray<string>): Promise<boolean> => {
  for (const asking of askings) {
    const answer = await ask(folder, names, asking)
    if (answer !== undefined) return answer
  }
  return false
}
