/** The one tool file that eight hosts load: it knows none of them. */
import { existsSync, watch } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { CustomToolFactory } from "stepline/custom-tools"

/** Resolves to true once the file is there; to false where the signal comes first. */
const appears = (folder: string, name: string, signal: AbortSignal | undefined): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isThere: boolean) => {
      watcher.close()
      resolve(isThere)
    }
    const look = () => void (existsSync(join(folder, name)) && end(true))
    const watcher = watch(folder, look)
    signal?.addEventListener("abort", () => end(false))
    look()
  })

const factory: CustomToolFactory = (pi) => {
  const { Type } = pi.typebox
  return [
    {
      name: "publish",
      description: "Publishes a text.",
      parameters: Type.Object({ text: Type.String({ description: "The text." }) }),
      async execute(_callId, { text }: { text: string }, onUpdate, _context, signal) {
        onUpdate?.({ content: [{ type: "text", text: "uploading" }] })
        const isReady = await appears(pi.cwd, "ready", signal)
        await writeFile(join(pi.cwd, isReady ? "published" : "stopped"), text)
        return { content: [{ type: "text", text: `published ${text}` }] }
      },
    },
    {
      name: "rename",
      description: "Shows what a rename would change, and stages it.",
      parameters: Type.Object({}),
      approval: "read",
      execute() {
        pi.pushPendingAction({
          label: "Rename three places",
          async apply(reason) {
            await writeFile(join(pi.cwd, "renamed"), reason)
            return { content: [{ type: "text", text: "renamed three places" }] }
          },
        })
        return { content: [{ type: "text", text: "three places would change" }] }
      },
    },
  ]
}

export default factory
