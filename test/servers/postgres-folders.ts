/** Where the Postgres servers of a run of tests are, and how they end with it. */
import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { promisify } from "node:util"

/** The programs of the newest Postgres, as Debian installs it. */
export const postgresPrograms = ((versions = "/usr/lib/postgresql"): string | undefined => {
  try {
    const [newest] = readdirSync(versions).sort((one, other) => Number(other) - Number(one))
    return newest === undefined ? undefined : join(versions, newest, "bin")
  } catch {
    return undefined
  }
})()

/** Postgres refuses to run as root. */
export const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Not in the run's folder itself: a checkout may be closed to other users. */
const nameOf = (runFolder: string): string => `${basename(runFolder)}-postgres-`

/** That of this process. */
export const postgresFolder = (runFolder: string): string =>
  join(tmpdir(), `${nameOf(runFolder)}${process.pid}`)

/** Ends all servers of a run. */
export const endPostgres = async (runFolder: string): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(nameOf(runFolder))) continue
    const folder = join(tmpdir(), name)
    const args = ["-D", join(folder, "data"), "-m", "immediate", "stop"]
    // Where a test has stopped it there is nothing to end.
    await promisify(execFile)(join(postgresPrograms!, "pg_ctl"), args, { cwd: folder, ...nobody }).catch(
      () => {},
    )
    await rm(folder, { recursive: true, force: true })
  }
}
