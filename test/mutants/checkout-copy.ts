/** A copy of a checkout in which sources are changed: what others work on stays as it is. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Mutant } from "./mutant.ts"

/** Throws for a mutant that fits the sources no more. */
export const mutatedSource = (checkout: string, { mistake, file, from, to }: Mutant): string => {
  const path = join(checkout, file)
  if (!existsSync(path)) throw new Error(`"${mistake}" is of ${file}, which is not there any more`)
  const parts = readFileSync(path, "utf8").split(from)
  if (parts.length === 2) return parts.join(to)
  throw new Error(
    `"${mistake}" does not fit ${file}: ${JSON.stringify(from)} is there ${parts.length - 1} times`,
  )
}

const filesOf = (checkout: string): Array<string> =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: checkout,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  })
    .split("\0")
    // A link to packages elsewhere is none of the files that are ignored.
    .filter((path) => path !== "" && path !== "node_modules" && existsSync(join(checkout, path)))

/** Links to the packages, in a folder of the copy's own: what the tests cache among them is gone with the copy. */
const linkPackages = (from: string, to: string): void => {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name !== ".cache" && name !== ".vite") symlinkSync(join(from, name), join(to, name))
  }
}

/** One copy, with one mutant in it at a time. */
export class CheckoutCopy {
  readonly folder: string

  constructor(checkout: string, folder: string) {
    this.folder = folder
    for (const path of filesOf(checkout)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(join(checkout, path), join(folder, path))
    }
    linkPackages(join(checkout, "node_modules"), join(folder, "node_modules"))
  }

  /** Does the work while the mutant is there. */
  async with<A>(mutant: Mutant, work: () => Promise<A>): Promise<A> {
    const path = join(this.folder, mutant.file)
    const source = readFileSync(path, "utf8")
    writeFileSync(path, mutatedSource(this.folder, mutant))
    try {
      return await work()
    } finally {
      writeFileSync(path, source)
    }
  }

  /** Those of the tests that are there: files may have been merged into others. */
  existing(tests: ReadonlyArray<string>): Array<string> {
    return tests.filter((path) => existsSync(join(this.folder, path)))
  }
}
