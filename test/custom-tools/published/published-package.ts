/** Packages of the npm registry that tests read, in a cache outside of the checkout: there they find nothing that is installed in it. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { leavesOut } from "../../support/needs.ts"

const run = promisify(execFile)

/** What is downloaded is kept from one run to the next, as long as the system keeps temporary files. */
const cache = join(tmpdir(), `stepline-published-${userInfo().uid}`)

/** Gives the folder of a package, which is unpacked there the first time. Installs nothing that it depends on. */
const unpack = async (name: string, version: string): Promise<string> => {
  const folder = join(cache, `${name.replace("@", "").replace("/", "-")}-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(join(cache, ".unpacking-"))
  try {
    const retries = ["--fetch-retry-mintimeout=1000", "--fetch-retry-factor=2"]
    const pack = ["pack", `${name}@${version}`, "--json", "--ignore-scripts", ...retries]
    const { stdout } = await run("npm", pack, { cwd: work, timeout: 120_000 })
    const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }]
    await run("tar", ["-xzf", filename], { cwd: work })
    await rename(join(work, "package"), folder).catch((error: unknown) => {
      // Another process may have come first.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return folder
}

/** Undefined where there is no network, and its tests are left out. */
export const publishedPackage = async (name: string, version: string): Promise<string | undefined> => {
  try {
    return await unpack(name, version)
  } catch (error) {
    if (!leavesOut) throw error
    return undefined
  }
}
