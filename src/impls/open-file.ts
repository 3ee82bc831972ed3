/**
 * open_file
 *
 *   ValidateFile ─▶ (approval) ─▶ IdeOpen ─▶ "Opening <path> at line <n>"
 */
import { Type } from "@sinclair/typebox"
import { IdeOpen } from "../handlers/ide.ts"
import { Output } from "../handlers/steps.ts"
import { ValidateFile } from "../handlers/validate-file.ts"
import { localMachine, type Machine } from "../io/machine.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

const parameters = Type.Object({
  path: Type.String({
    description: "The file to open. Relative paths start at the working directory.",
    minLength: 1,
  }),
  line: Type.Optional(
    Type.Integer({
      description: "The line to go to, counted from 1. Default: the editor's.",
      minimum: 1,
      maximum: 2 ** 31 - 1,
    }),
  ),
})

/** `open_file` for the files of a machine. */
export const makeOpenFileTool = ({ files }: Machine) =>
  defineTool({
    name: "open_file",
    label: "Open file",
    description: "Opens a file in the user's editor, to show it to them.",
    parameters,
    primaryParam: "path",
    primaryKind: "path",
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    compose: ({ path, line }) =>
      pipeline()
        .andThen(ValidateFile({ path }, files))
        .awaitApproval()
        .andThen(IdeOpen({ path, ...(line !== undefined && { line }) }))
        .andThen(Output(line === undefined ? `Opening ${path}` : `Opening ${path} at line ${line}`)),
  })

/** `open_file`: opens a file for the user, in a host that has an editor. */
export const openFileTool = makeOpenFileTool(localMachine)
