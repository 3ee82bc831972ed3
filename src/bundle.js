/**
 * Makes few files of many, in a folder that tsc has filled: one of each entry, and some that they share. A fresh process spends
 * most of its start on finding and reading files.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { rolldown } from "rolldown"

const root = resolve(process.argv[2])
const { exports, imports, bin } = JSON.parse(
  await readFile(new URL("../package.json", import.meta.url), "utf8"),
)

const built = ({ module, default: file }) => [module, file]
/** What is loaded by its path. */
const loaded = ["./dist/policy/commands.js"]
const files = [...[exports, imports].flatMap(Object.values).flatMap(built), ...Object.values(bin), ...loaded]
const entries = files
  .filter((file) => file?.startsWith("./dist/"))
  .map((file) => file.slice("./dist/".length, -".js".length))

const fileOf = (name) => join(root, `${name}.js`)

/** Where these stand is what tells them something. */
const inPlace = ["hosts/web/server/page-files", "schema/effect-schema"]

/**
 * TypeBox is two hundred files, and what our tools make with it is plain data. What custom tools make is checked by the TypeBox that is
 * installed: they have that one, and its registries.
 */
const isPart = (id, importer) => id === "@sinclair/typebox" && dirname(importer) === join(root, "impls")

const isOurs = (id, importer) => /^[./]/.test(id) || isPart(id, importer)

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, fileOf(name)])),
  platform: "node",
  external: (id, importer) => !isOurs(id, importer),
  treeshake: { moduleSideEffects: false },
  onLog: (_level, { message }) => {
    throw new Error(message)
  },
})
const { output } = await bundle.generate({
  entryFileNames: "[name].js",
  chunkFileNames: ({ name }) => (inPlace.includes(name) ? "[name].js" : "chunks/[name].js"),
  minifyInternalExports: false,
  // The declarations have them.
  comments: { jsdoc: false },
  codeSplitting: {
    groups: [
      ...inPlace.map((name) => ({ name, test: (file) => file === fileOf(name) })),
      // With all that it imports; without, four files.
      { name: "policy", test: (file) => file === fileOf("policy/filters") },
    ],
  },
})
await bundle.close()

const compiled = (await readdir(root, { recursive: true })).filter((path) => path.endsWith(".js"))
for (const path of compiled) await rm(join(root, path))
for (const { fileName, code } of output) {
  const file = join(root, fileName)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, code)
}

/** Declarations that no entry leads to are for nobody. */
const reached = new Set()
const reach = async (path) => {
  if (reached.has(path)) return
  reached.add(path)
  for (const [, from] of (await readFile(path, "utf8")).matchAll(/(?:from |import ?\(?)"(\.[^"]+)\.[jt]s"/g))
    await reach(`${resolve(dirname(path), from)}.d.ts`)
}
for (const { types } of Object.values(exports))
  if (types) await reach(join(root, types.slice("./dist/".length)))
const declarations = (await readdir(root, { recursive: true })).filter((path) => path.endsWith(".d.ts"))
for (const path of declarations) if (!reached.has(join(root, path))) await rm(join(root, path))

/** Code of others that is part of it, here or in the page, with its licence. */
const licences = { "@sinclair/typebox": "license", preact: "LICENSE" }
await mkdir(join(root, "licences"), { recursive: true })
for (const [name, file] of Object.entries(licences)) {
  const from = new URL(`../node_modules/${name}/${file}`, import.meta.url)
  await copyFile(from, join(root, "licences", `${name.replaceAll("/", "-")}.txt`))
}
