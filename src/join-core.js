/**
 * Makes one file of the modules that `import "stepline"` loads, in a folder that tsc has filled: a fresh process spends most of its
 * start on finding and reading files. Modules that other entries import too stay, as doors to it.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"
import { build } from "esbuild"

const staticImport = /^(?:import|export)\s(?:[^"';]*\sfrom\s)?["'](\.[^"']+)["']/gm
const dynamicImport = /\bimport\(\s*["'](\.[^"']+)["']\s*\)/g

const root = resolve(process.argv[2])
const index = join(root, "index.js")
const joined = join(root, "core.js")

const paths = (await readdir(root, { recursive: true })).filter((path) => path.endsWith(".js"))
const sources = new Map(
  await Promise.all(paths.map(async (path) => [join(root, path), await readFile(join(root, path), "utf8")])),
)

const importsOf = (file, pattern) =>
  [...sources.get(file).matchAll(pattern)].map(([, specifier]) => resolve(dirname(file), specifier))

const specifierFrom = (file, to) => {
  const path = relative(dirname(file), to)
  return path.startsWith(".") ? path : `./${path}`
}

const core = new Set()
const take = (file) => {
  // Where a module stands is what tells it something: it stays there.
  if (core.has(file) || sources.get(file).includes("import.meta")) return
  core.add(file)
  for (const imported of importsOf(file, staticImport)) take(imported)
}
take(index)

const importedElsewhere = [...sources.keys()].flatMap((file) => [
  ...importsOf(file, dynamicImport),
  ...(core.has(file) ? [] : importsOf(file, staticImport)),
])
const doors = [...new Set([index, ...importedElsewhere])].filter((file) => core.has(file))

const { metafile } = await build({
  entryPoints: doors,
  outdir: root,
  outbase: root,
  absWorkingDir: root,
  format: "esm",
  metafile: true,
  write: false,
})
/** The names of a door's exports, with those that they have in the one file. */
const namesOf = (file) => {
  const { exports } = metafile.outputs[relative(root, file)]
  const at = doors.indexOf(file)
  return exports.map((name) => [name, file === index ? name : `${name}_${at}`])
}

const clause = (pairs) =>
  `export { ${pairs.map(([from, to]) => (from === to ? from : `${from} as ${to}`)).join(", ")} }`

await build({
  stdin: {
    contents: doors
      .map((file) => `${clause(namesOf(file))} from "${specifierFrom(joined, file)}"`)
      .join("\n"),
    resolveDir: root,
  },
  outfile: joined,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
  plugins: [
    {
      name: "core",
      setup: ({ onResolve }) =>
        onResolve({ filter: /.*/ }, ({ path, resolveDir, kind }) => {
          if (!path.startsWith(".")) return { path, external: true }
          const file = resolve(resolveDir, path)
          return core.has(file) && kind !== "dynamic-import"
            ? { path: file, sideEffects: false }
            : { path: specifierFrom(joined, file), external: true }
        }),
    },
  ],
})

for (const file of core) {
  if (!doors.includes(file)) await rm(file)
  else {
    const pairs = namesOf(file).map(([name, inCore]) => [inCore, name])
    await writeFile(file, `${clause(pairs)} from "${specifierFrom(file, joined)}"\n`)
  }
}
