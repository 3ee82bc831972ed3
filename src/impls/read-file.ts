/**
 * read_file
 *
 *   ValidateFile ─▶ ReadFile ─▶ "   1│text"
 *
 * Changes nothing, so it has no gate; filters may still deny it.
 */
import { Type } from "@sinclair/typebox"
import { ReadFile } from "../handlers/read-file.ts"
import { ValidateFile } from "../handlers/validate-file.ts"
import { localMachine, type Machine } from "../io/machine.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

const parameters = Type.Object({
  path: Type.String({ description: "The file to read. Relative paths start at the working directory." }),
  start_line: Type.Optional(
    Type.Integer({ description: "The first line to read, counted from 1. Default: 1." }),
  ),
  end_line: Type.Optional(
    Type.Integer({
      description: "The last line to read, inclusive. -1, the default, is the end of the file.",
    }),
  ),
})

/** `read_file` for the files of a machine. */
export const makeReadFileTool = ({ files }: Machine) =>
  defineTool({
    name: "read_file",
    label: "Read file",
    description:
      "Reads a text file and shows its lines with their numbers. Long output is truncated; read a large file in parts with start_line and end_line.",
    parameters,
    primaryParam: "path",
    primaryKind: "path",
    cutsOutput: true,
    kind: "read",
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    compose: ({ path, start_line, end_line }) =>
      pipeline()
        .andThen(ValidateFile({ path }, files))
        .andThen(
          ReadFile(
            {
              path,
              ...(start_line !== undefined && { startLine: start_line }),
              ...(end_line !== undefined && { endLine: end_line }),
            },
            files,
          ),
        ),
  })

/** `read_file`: reads lines of a file of this machine. */
export const readFileTool = makeReadFileTool(localMachine)
