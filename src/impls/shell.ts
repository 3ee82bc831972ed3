/**
 * shell
 *
 *   (approval) ─▶ Shell ─▶ stdout, [stderr], [exit code: N]
 *                   └─ streams what is printed
 */
import { Type } from "@sinclair/typebox"
import { Shell } from "../handlers/shell.ts"
import { describeEnvironment } from "../io/environment.ts"
import { localMachine, type Machine } from "../io/machine.ts"
import { pipeline } from "../pipeline/model/pipeline.ts"
import { defineTool, type Tool } from "../pipeline/model/tool.ts"

const parameters = Type.Object({
  command: Type.String({ description: "The command line, run by bash. It has no input: stdin is empty." }),
  working_dir: Type.Optional(
    Type.String({ description: "The folder to run it in. Default: the working directory." }),
  ),
  timeout: Type.Optional(
    Type.Number({
      description:
        "Seconds after which the command is ended. Default: 120, or no limit when run in background.",
      exclusiveMinimum: 0,
    }),
  ),
})

const description =
  "Runs a command line in bash and gives what it printed on stdout and stderr, and its exit code if that is not 0. Long output is truncated and kept in a file."

/** `shell` for the processes of a machine. */
export const makeShellTool = (machine: Machine): Tool =>
  defineTool({
    name: "shell",
    label: "Shell",
    description:
      machine.env === undefined ? description : `${description} ${describeEnvironment(machine.env)}`,
    parameters,
    primaryParam: "command",
    primaryKind: "command",
    workingDirParam: "working_dir",
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    compose: ({ command, working_dir, timeout }) =>
      pipeline()
        .awaitApproval()
        .andThen(
          Shell(
            {
              command,
              ...(working_dir !== undefined && { workingDir: working_dir }),
              ...(timeout !== undefined && { timeout }),
            },
            machine,
          ),
        ),
  })

export const shellTool: Tool = makeShellTool(localMachine)
