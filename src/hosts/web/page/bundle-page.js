/** Bundles the page: into the given folder, or, in a checkout, for a server that was not built. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const here = fileURLToPath(new URL(".", import.meta.url))

/** The page's script and style. */
export const bundlePage = async () => {
  const { outputFiles } = await build({
    entryPoints: [
      { in: join(here, "main.tsx"), out: "page" },
      { in: join(here, "styles/page.css"), out: "page" },
    ],
    outdir: here,
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
  })
  const textOf = (end) => outputFiles.find(({ path }) => path.endsWith(end)).text
  return { script: textOf(".js"), style: textOf(".css") }
}

const [, script, folder] = process.argv
if (script === fileURLToPath(import.meta.url) && folder !== undefined) {
  const { script: code, style } = await bundlePage()
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, "page.js"), code)
  await writeFile(join(folder, "page.css"), style)
}
