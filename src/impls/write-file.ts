/**
 * write_file
 *
 *   ValidateFileNotExists ─▶ IdeShowPreview ─▶ (approval) ─▶ WriteFile ─▶ "Created <path>"
 *   finally: IdeReloadBuffer, if the file was written ─▶ IdeClosePreview
 */
import { Type } from "@sinclair/typebox"
import { FileChange } from "../handlers/file-change.ts"
import { IdeClosePreview, IdeReloadBuffer, IdeShowPreview } from "../handlers/ide.ts"
import { ValidateFileNotExists } from "../handlers/validate-file.ts"
import { WriteFile } from "../handlers/write-file.ts"
import { localMachine, type Machine } from "../io/machine.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

const parameters = Type.Object({
  path: Type.String({
    description:
      "The file to create. Relative paths start at the working directory; missing folders are created.",
  }),
  content: Type.String({ description: "All that the file shall hold." }),
})

/** `write_file` for the files of a machine. */
export const makeWriteFileTool = ({ files }: Machine) =>
  defineTool({
    name: "write_file",
    label: "Write file",
    description:
      "Creates a new file with the given content, and the folders that it needs. A file that exists is an error: change it with edit_file.",
    parameters,
    primaryParam: "path",
    primaryKind: "path",
    kind: "edit",
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    compose: ({ path, content }) => {
      const change = new FileChange()
      return pipeline()
        .andThen(ValidateFileNotExists({ path }, files))
        .andThen(IdeShowPreview({ path, content }))
        .awaitApproval()
        .andThen(WriteFile({ path, content, change }, files))
        .finally(IdeReloadBuffer({ path, change }))
        .finally(IdeClosePreview())
    },
  })

/** `write_file`: writes a new file on this machine, after it was approved. */
export const writeFileTool = makeWriteFileTool(localMachine)
