/**
 * shell
 *
 *   (approval) ─▶ Shell ─▶ stdout, [stderr], [exit code: N]
 *                   └─ streams its output
 *
 *   stage: (approval) ─▶ StageShell ─▶ preview ─▶ (resolve) ─▶ ApplyStaged        finally DropStaged
 */
import { type TProperties, Type } from "@sinclair/typebox"
import { Shell, type ShellOptions } from "../handlers/shell.ts"
import { ApplyStaged, DropStaged, StageShell, type StagingMachine } from "../handlers/staged-shell.ts"
import { describeEnvironment } from "../io/environment.ts"
import { localMachine, type Machine } from "../io/machine.ts"
import type { ApprovalOptions } from "../model/gate.ts"
import { pipeline, ToolPipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

const all = Type.Object({
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
  stage: Type.Optional(
    Type.Boolean({
      description:
        "Run it over a copy of the working directory, where alone it can write, and show what it would change there; call resolve to make or discard these changes. It runs once.",
    }),
  ),
  unsandboxed: Type.Optional(
    Type.Boolean({
      description:
        "Run it outside of the sandbox, which a person is always asked about. For a command that the sandbox has stopped.",
    }),
  ),
})

/** The parameters that the machine supports. */
const parametersFor = ({ staging, outside }: Machine): typeof all => {
  const { stage, unsandboxed, ...plain } = all.properties
  const offered = { ...plain, ...(staging && { stage }), ...(outside && { unsandboxed }) }
  // A parameter that is not offered equals an optional one that is omitted.
  return Type.Object<TProperties>(offered) as unknown as typeof all
}

export interface ShellToolOptions {
  /** Whether commands are staged by default. Default false. */
  readonly stage?: boolean
}

const canStage = (machine: Machine): machine is StagingMachine => machine.staging !== undefined

const staged = (
  options: ShellOptions,
  machine: StagingMachine,
  gate: ApprovalOptions | undefined,
): ToolPipeline =>
  pipeline()
    .awaitApproval(gate)
    .andThen(StageShell(options, machine))
    .awaitResolve({ label: labelOf(options.command) })
    .andThen(ApplyStaged(machine))
    .finally(DropStaged(machine))

/** A person decides, regardless of rules and reviewers. */
const outside: ApprovalOptions = { label: "Run outside of the sandbox", person: true }

const cannotStage =
  "Commands cannot be staged here, and this one did not run. Call it without `stage`: it is then asked about as usual."

const maxLabelled = 60

/** The command unchanged, including spaces and line ends: hosts mark invisible characters. A truncated label says so. */
const labelOf = (command: string): string => {
  const characters = [...command]
  if (characters.length <= maxLabelled) return `Make the changes of ${command}`
  const start = characters.slice(0, maxLabelled).join("")
  return `Make the changes of ${start}… (the first ${maxLabelled} of ${characters.length} characters)`
}

const description =
  "Runs a command line in bash and gives what it printed on stdout and stderr, and its exit code if that is not 0. Long output is truncated and kept in a file."

const describe = (machine: Machine): string => {
  const sandbox =
    "It runs in a sandbox: what that stops is named in the output, and can be asked for with unsandboxed."
  return [
    description,
    ...(machine.outside === undefined ? [] : [sandbox]),
    ...(machine.env === undefined ? [] : [describeEnvironment(machine.env)]),
  ].join(" ")
}

/** Commands outside get the same environment variables as those inside: the description covers both. */
const outsideOf = ({ outside, env, ...machine }: Machine): Machine => ({
  ...(outside ?? machine),
  ...(env !== undefined && { env }),
})

/** `shell` for the processes of a machine. */
export const makeShellTool = (machine: Machine, { stage: byDefault = false }: ShellToolOptions = {}) =>
  defineTool({
    name: "shell",
    label: "Shell",
    description: describe(machine),
    parameters: parametersFor(machine),
    primaryParam: "command",
    primaryKind: "command",
    workingDirParam: "working_dir",
    cutsOutput: true,
    kind: "execute",
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    compose: ({ command, working_dir, timeout, stage = byDefault, unsandboxed }) => {
      const place = unsandboxed === true ? outsideOf(machine) : machine
      const options = {
        command,
        ...(working_dir !== undefined && { workingDir: working_dir }),
        ...(timeout !== undefined && { timeout }),
      }
      const gate = unsandboxed === true ? outside : undefined
      if (stage) return canStage(place) ? staged(options, place, gate) : ToolPipeline.error(cannotStage)
      return pipeline().awaitApproval(gate).andThen(Shell(options, place))
    },
  })

/** `shell`: runs a command with bash on this machine, after it was approved. */
export const shellTool = makeShellTool(localMachine)
