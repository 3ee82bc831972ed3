/** Edits a text in the user's editor. */
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The command of `$VISUAL` or `$EDITOR`. */
export const editorCommand = (env: NodeJS.ProcessEnv): string | undefined =>
  env.VISUAL || env.EDITOR || undefined

/**
 * Returns the saved text. Until then the terminal belongs to the editor. Rejects with a sentence if the editor fails.
 *
 * @param fileName Tells the editor what kind of text it is.
 */
export const editExternally = async (command: string, text: string, fileName: string): Promise<string> => {
  // Others must be able neither to read nor to change the text.
  const folder = await mkdtemp(join(tmpdir(), "stepline-edit-"))
  try {
    const file = join(folder, fileName)
    await writeFile(file, text, { mode: 0o600 })
    // The command may have arguments.
    const child = spawn("sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit" })
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject)
      child.once("close", resolve)
    })
    if (status !== 0) throw new Error(`The editor ${command} failed; nothing was changed.`)
    return await readFile(file, "utf8")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
