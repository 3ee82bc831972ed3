/** The package as it is published: compiled once for a run of tests, because that starts three times as fast as the sources. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { copyFile, cp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { inject } from "vitest"
import { withFileLock } from "../../src/io/file-lock.ts"
import { root } from "./root.ts"

const run = promisify(execFile)

const compileTo = async (folder: string): Promise<void> => {
  const tsc = join(root, "node_modules/.bin/tsc")
  const project = join(root, "tsconfig.build.json")
  const [modules, dist] = [join(folder, "modules"), join(folder, "dist")]
  await run(tsc, ["-p", project, "--noCheck", "--outDir", modules])
  await cp(modules, dist, { recursive: true })
  await run(process.execPath, [join(root, "src/bundle.js"), dist])
  const page = "hosts/web/page"
  await run(process.execPath, [join(root, "src", page, "bundle-page.js"), join(dist, page)])
  await cp(join(dist, page), join(modules, page), { recursive: true })
  await copyFile(join(root, "package.json"), join(folder, "package.json"))
  await cp(join(root, "examples/custom-tools"), join(folder, "examples/custom-tools"), { recursive: true })
}

/**
 * The folder of the package, with its modules one by one in `modules` besides. All files of a run have the same one: who writes into it
 * makes a copy. `TEST_PACKAGE` names one inside of node_modules, `package` too, that several runs of the same sources share.
 */
export const builtPackage = (): Promise<string> => {
  const folder = process.env.TEST_PACKAGE ?? join(inject("runFolder"), "package")
  const whole = async () => {
    if (existsSync(folder)) return folder
    const made = `${folder}-${process.pid}`
    try {
      await compileTo(made)
    } catch (error) {
      await rm(made, { recursive: true, force: true })
      throw new Error(`The sources do not compile:\n${(error as { stdout?: string }).stdout ?? error}`)
    }
    await rename(made, folder)
    return folder
  }
  return withFileLock(`${folder}.lock`, whole, { timeout: 600_000 })
}

/** A copy of the package, to write into. It must be removed, and lies where packages are found too. */
export const copyOfPackage = async (name: string): Promise<string> => {
  const folder = join(inject("runFolder"), `${name}-${process.pid}`)
  await cp(await builtPackage(), folder, { recursive: true })
  return folder
}
