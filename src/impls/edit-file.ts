/**
 * edit_file
 *
 *   ValidateFile ─▶ ValidateFileWritable ─▶ ValidateNoUnsavedEdits ─▶ ValidateEdits ─▶ IdeShowDiffPreview
 *     ─▶ (approval, the diff as its preview) ─▶ ApplyEdits ─▶ "Successfully applied 2 edit(s) to <path>"
 *   finally: IdeReloadBuffer, if the file was written ─▶ IdeClosePreview
 */
import { Type } from "@sinclair/typebox"
import { ApplyEdits, ValidateEdits } from "../handlers/edit-file.ts"
import { FileChange } from "../handlers/file-change.ts"
import {
  IdeClosePreview,
  IdeReloadBuffer,
  IdeShowDiffPreview,
  ValidateNoUnsavedEdits,
} from "../handlers/ide.ts"
import { ValidateFile, ValidateFileWritable } from "../handlers/validate-file.ts"
import { localMachine, type Machine } from "../io/machine.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

const parameters = Type.Object({
  path: Type.String({ description: "The file to edit. Relative paths start at the working directory." }),
  edits: Type.Array(
    Type.Object({
      old_string: Type.String({
        description:
          "The text to replace, exactly as it is in the file and without line numbers. It must be there exactly once.",
      }),
      new_string: Type.String({ description: "The text to put in its place." }),
    }),
    { description: "The replacements, in order; each one sees what the earlier ones left.", minItems: 1 },
  ),
})

/** `edit_file` for the files of a machine. */
export const makeEditFileTool = ({ files }: Machine) =>
  defineTool({
    name: "edit_file",
    label: "Edit file",
    description:
      "Replaces strings in an existing text file. Every old_string must match exactly once: include enough of the lines around it. Either all edits are applied or none.",
    parameters,
    primaryParam: "path",
    primaryKind: "path",
    kind: "edit",
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    compose: ({ path, edits }) => {
      const change = new FileChange()
      return (
        pipeline()
          .andThen(ValidateFile({ path }, files))
          .andThen(ValidateFileWritable({ path }, files))
          .andThen(ValidateNoUnsavedEdits({ path }))
          .andThen(ValidateEdits({ path, edits, change }, files))
          .andThen(IdeShowDiffPreview({ path, edits }))
          .awaitApproval()
          .andThen(ApplyEdits({ path, edits, change }, files))
          // Not an ordinary step: an editor that does not answer must not turn an applied edit into a failed one.
          .finally(IdeReloadBuffer({ path, change }))
          .finally(IdeClosePreview())
      )
    },
  })

/** `edit_file`: replaces texts in a file of this machine, after its diff was approved. */
export const editFileTool = makeEditFileTool(localMachine)
