/** The processes of a session, as Linux tells of them. */
import { readdirSync, readFileSync } from "node:fs"

export interface SessionProcess {
  readonly pid: number
  readonly parent: number
  readonly name: string
}

const statOf = (pid: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
  } catch {
    // It has ended.
    return undefined
  }
}

/** All but those that have ended and are not waited for. */
export const processesOf = (session: number): Array<SessionProcess> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [, name, state, parent, , of] =
        /^\d+ \((.*)\) (\S) (\d+) (\d+) (\d+)/s.exec(statOf(pid) ?? "") ?? []
      if (name === undefined || state === "Z" || Number(of) !== session) return []
      return [{ pid: Number(pid), parent: Number(parent), name }]
    })
