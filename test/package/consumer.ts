/** A project that uses the package as npm installs it, in a temporary folder: its types, or all of it, from a build, its peers by links. */
import { execFile } from "node:child_process"
import { copyFile, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { builtPackage } from "../support/built-package.ts"
import { root } from "../support/root.ts"

/** The TypeScript versions that a consumer may have. The older one takes twice as long to check what the newest has checked of other packages. */
const compilers = {
  newest: (folder: string) => [join(root, "node_modules/typescript/bin/tsc"), "-p", folder],
  "5.9": (folder: string) => [
    join(root, "test/package/own-errors.js"),
    join(root, "node_modules/typescript-5.9/lib/typescript.js"),
    join(folder, "tsconfig.json"),
  ],
}

const run = promisify(execFile)

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** What npm installs with the package: its dependencies, and the peers that are not optional. */
const installedWith = ({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest): Array<string> => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
]

/** Makes the project. Optional peers are not there, but for Node's types and `peers`. `runs`: the package's code is there too. */
export const makeConsumer = async ({
  runs = false,
  peers = [] as ReadonlyArray<string>,
} = {}): Promise<{
  readonly folder: string
  /** What the compiler says of a source: nothing where it is right. */
  compile(source: string, options: object, version: keyof typeof compilers): Promise<string>
  remove(): Promise<void>
}> => {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "stepline-consumer-"))
  const modules = join(folder, "node_modules")
  await mkdir(join(modules, "stepline"), { recursive: true })
  await copyFile(join(root, "package.json"), join(modules, "stepline/package.json"))
  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as Manifest
  for (const name of [...installedWith(manifest), "@types/node", "undici-types", ...peers]) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, "node_modules", name), join(modules, name))
  }
  await writeFile(join(folder, "package.json"), '{"type":"module"}')
  await cp(join(await builtPackage(), "dist"), join(modules, "stepline/dist"), {
    recursive: true,
    filter: (path) => runs || !path.endsWith(".js"),
  })
  return {
    folder,
    compile: async (source, options, version) => {
      const compilerOptions = {
        target: "es2023",
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        ...options,
      }
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }))
      await writeFile(join(folder, "main.ts"), source)
      return run(process.execPath, compilers[version](folder), { cwd: folder }).then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      )
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
