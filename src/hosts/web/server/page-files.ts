/** The page's script and style: built with the package; in a checkout of stepline, built on the first request. */
import { readFile } from "node:fs/promises"

/** The files of a page. */
export interface PageFiles {
  readonly script: string
  readonly style: string
}

const folder = new URL("../page/", import.meta.url)

const built = async (): Promise<PageFiles> => ({
  script: await readFile(new URL("page.js", folder), "utf8"),
  style: await readFile(new URL("page.css", folder), "utf8"),
})

const read = async (): Promise<PageFiles> => {
  try {
    return await built()
  } catch (cause) {
    try {
      const { bundlePage } = (await import(new URL("bundle-page.js", folder).href)) as {
        readonly bundlePage: () => Promise<PageFiles>
      }
      return await bundlePage()
    } catch (error) {
      const { code } = error as { readonly code?: string }
      if (code !== "ERR_MODULE_NOT_FOUND") throw error
      const where = new URL("page.js", folder).pathname
      throw new Error(
        `The page's files are not at ${where}. Leave \`stepline\` out of what your bundler puts together.`,
        { cause },
      )
    }
  }
}

let files: Promise<PageFiles> | undefined

/** Read once. */
export const pageFiles = (): Promise<PageFiles> => {
  files ??= read()
  files.catch(() => {
    files = undefined
  })
  return files
}
