/** The program: reads the command line, and loads only what the command needs. */
import { existsSync } from "node:fs"
import { Command, CommanderError } from "commander"
import type { VerifyLogOptions } from "../hosts/decision-log.ts"
import { missingPeer } from "../io/missing-module.ts"
import {
  collect,
  withLocalOptions,
  withPage,
  withPerson,
  withRuleOptions,
  withServers,
  withStore,
  withTimeline,
  withToolOptions,
} from "./command-options.ts"
import type { InboxCommandOptions } from "./inbox-command.ts"
import type { LocalOptions } from "./local-executor.ts"
import type { McpCommandOptions } from "./mcp-command.ts"
import type { PlanOptions } from "./plan-command.ts"
import { addReplay, addRulesImport } from "./rule-commands.ts"
import type { RunOptions } from "./run-command.ts"
import { shortHelp } from "./short-help.ts"
import { onStop } from "./stopping.ts"
import { exitStatus } from "./tally.ts"
import { tell } from "./tell.ts"
import type { ToolsCommandOptions } from "./tools-command.ts"
import type { UiOptions } from "./ui-command.ts"
import type { UndoCommandOptions } from "./undo-command.ts"
import { UsageError } from "./usage-error.ts"

/** Information from the package's manifest. */
export interface About {
  readonly version: string
  readonly description: string
  /** The peer dependencies, some of them only for certain commands. */
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** Options before a command apply to it, if it has them, in addition to those after it. */
const inherit = (program: Command, command: Command): void => {
  for (const option of program.options) {
    const name = option.attributeName()
    if (program.getOptionValueSource(name) !== "cli") continue
    if (!command.options.some((own) => own.attributeName() === name)) {
      command.error(`error: option '${option.flags}' is not for the command '${command.name()}'`)
    }
    const given: unknown = program.getOptionValue(name)
    const own: unknown = command.getOptionValue(name)
    if (Array.isArray(given)) command.setOptionValue(name, [...given, ...(Array.isArray(own) ? own : [])])
    else if (command.getOptionValueSource(name) !== "cli") command.setOptionValue(name, given)
  }
}

/** `--tool-path` and `--nvim` would take a following command as their value: throws, unless a file has that name. */
const expectNoCommand = (program: Command, { toolPath = [], nvim }: RunOptions): void => {
  for (const value of [...toolPath, nvim]) {
    if (typeof value !== "string" || existsSync(value)) continue
    if (!program.commands.some((command) => command.name() === value)) continue
    program.error(
      `error: the command '${value}' was taken for the value of an option: put it in front of that`,
    )
  }
}

const runHelp = `
A line of FILE is a call:
  {"name": "shell", "params": {"command": "npm test"}}
and may have "agentId", "callId", "background": true, "decision": "deny", and "expect", how the call should end: "complete",
"error", "denied", "cancelled", or {"exitCode": 3} for a command that should fail. A line {"wait": "ID"} waits until the call with
that id has ended, also in the background. Lines that start with # are headings; lines that start with // are comments.

Calls of one agent run in order; agents do not wait for each other. A call that no rule allows asks at the terminal. Without a
terminal, or with the script on stdin, it is denied: a script cannot approve its own calls.
Put FILE before a bare --nvim and before --tool-path, which take the words after them.
Calls named resolve apply or discard previews. Previews that are left at the end are dropped, and listed on stderr.
With --json, a result is followed by a <notification> for each background task of its agent that has ended since.

Exit status:
  0  every call ended as expected
  1  a call failed or was cancelled, or a command exited with another status than 0
  2  nothing ran: the command line or a line of FILE is wrong
  3  no call failed, but one was denied`

/** Runs work that has nothing to clean up: a signal ends the process at once. */
const endingAtOnce = async (work: () => Promise<number>): Promise<number> => {
  const stopListening = onStop((status) => process.exit(status))
  try {
    return await work()
  } finally {
    stopListening()
  }
}

/** Runs a command line. Resolves with the exit status. */
export const runProgram = async (
  args: ReadonlyArray<string>,
  { version, description, peerDependencies }: About,
): Promise<number> => {
  let status: number = exitStatus.asExpected
  const program = withStore(
    withTimeline(withPage(withLocalOptions(new Command("stepline")))),
    "the session continues with the calls that it has",
  )
    .option("--yes", "for a call or lines on stdin: approve everything that no deny rule denies")
    .option("--json", "for a call: print one event a line, as JSON")
    .usage("[options] [command | TOOL [ARGS...]]")
    .description(
      `${description}\n\nAlone on a terminal it opens a session; elsewhere it runs the lines of one from stdin. With the name of a tool it runs\none call: stepline shell "echo hi", stepline read_file a.txt 1 20, stepline edit_file a.txt '{"edits": …}'.`,
    )
    .version(version)
    .enablePositionalOptions()
    // Commander's own help command ignores unknown commands.
    .helpCommand(false)
    .showHelpAfterError("(stepline --help shows the commands, stepline help COMMAND their options)")
    .exitOverride()
    .allowExcessArguments()
    .passThroughOptions()
    .hook("preAction", (_program, command) => {
      if (command !== program && command.name() !== "help") inherit(program, command)
    })
    .action(async (options: RunOptions, command: Command) => {
      expectNoCommand(program, options)
      if (command.args.length > 0) {
        const { callCommand } = await import("./call-command.ts")
        const names = program.commands.map((each) => each.name())
        status = await callCommand(command.args, options, names)
        return
      }
      const { sessionCommand, tourCommand } = await import("./session-command.ts")
      const ended = await sessionCommand(options, version)
      if (ended !== undefined) status = ended
      else if (Object.keys(options).some((name) => program.getOptionValueSource(name) === "cli")) {
        program.error("error: there is nothing on stdin that these options could be for")
      } else {
        const toured = await tourCommand()
        if (toured === undefined) program.outputHelp()
        status = toured ?? 0
      }
    })

  withStore(
    withTimeline(withPage(withLocalOptions(program.command("run")))),
    "the same command continues them after a crash, and `stepline inbox` answers them from elsewhere",
  )
    .allowExcessArguments(false)
    .description("run the calls of a file of JSON lines, or of stdin (-)")
    .argument("<FILE>")
    .option("--yes", "approve everything that no deny rule denies")
    .option("--json", "print one event a line, as JSON")
    .addHelpText("after", runHelp)
    .action(async (file: string, options: RunOptions) => {
      const { runCommand } = await import("./run-command.ts")
      status = await runCommand(file, options)
    })

  withPage(withLocalOptions(program.command("serve")))
    .allowExcessArguments(false)
    .description("serve a host in another language: JSON-RPC 2.0, one message a line, on stdin and stdout")
    .option("--schema", "print a JSON Schema of its methods and events instead")
    .action(async ({ schema, ...options }: LocalOptions & { readonly schema?: boolean }) => {
      if (schema === true) {
        const { protocolSchema } = await import("../hosts/serve/protocol-schema.ts")
        process.stdout.write(`${JSON.stringify(protocolSchema(), undefined, 2)}\n`)
        return
      }
      const { serveCommand } = await import("./serve-command.ts")
      // All output was written, or has no reader.
      process.exit(await serveCommand(options, version))
    })

  withStore(
    withPerson(withLocalOptions(program.command("ui"))),
    "the page continues with the calls that it has",
  )
    .allowExcessArguments(false)
    .description("serve a local page to call tools, watch them, and answer their questions")
    .option("--port <PORT>", "the port to listen on (default: any free one)")
    .option(
      "--store <STORE>",
      "show and answer the calls of this store (see --durable) that another process runs",
    )
    .action(async (options: UiOptions) => {
      const { uiCommand } = await import("./ui-command.ts")
      status = await uiCommand(options)
    })

  withServers(withToolOptions(program.command("tools")))
    .allowExcessArguments(false)
    .description("list the tools with their parameters, and the ones that could not be loaded")
    .option("--json", "print the definitions for a model, with JSON Schemas and the origin of each tool")
    .action(async (options: ToolsCommandOptions) => {
      const { toolsCommand } = await import("./tools-command.ts")
      status = await endingAtOnce(() => toolsCommand(options))
    })

  withPage(withLocalOptions(program.command("mcp")))
    .allowExcessArguments(false)
    .description("serve the tools to an MCP client, on stdin and stdout; the client asks its user")
    .option(
      "--http <PORT>",
      "serve HTTP on this port of this machine; clients send the bearer token of $STEPLINE_MCP_TOKEN, or the one that is printed",
    )
    .action(async (options: McpCommandOptions) => {
      const { mcpCommand } = await import("./mcp-command.ts")
      status = await mcpCommand(options, version)
    })

  withPerson(withLocalOptions(program.command("acp")))
    .allowExcessArguments(false)
    .description(
      "run as an agent of an editor that speaks ACP, on stdin and stdout: each prompt runs the calls of a script, like run",
    )
    .argument("[FILE]", "the script (default: the text of each prompt)")
    .action(async (file: string | undefined, options: LocalOptions) => {
      const { acpCommand } = await import("./acp-command.ts")
      status = await acpCommand(file, options, version)
    })

  program
    .command("tour")
    .allowExcessArguments(false)
    .description("run a tour of real calls in a checkout of stepline")
    .action(async () => {
      const { tourCommand } = await import("./session-command.ts")
      status =
        (await tourCommand()) ??
        program.error("error: the tour is in a checkout of stepline, not in the package")
    })

  withRuleOptions(program.command("plan"))
    .allowExcessArguments(false)
    .description("show the pipeline of a call and what the rules decide, without running it")
    .argument("<TOOL>")
    .argument("[JSON]", "the parameters", "{}")
    .option("--mermaid", "print a Mermaid flowchart")
    .action(async (name: string, json: string, options: PlanOptions) => {
      const { planCommand } = await import("./plan-command.ts")
      status = await endingAtOnce(() => planCommand(name, json, options))
    })

  withPerson(program.command("inbox"))
    .allowExcessArguments(false)
    .description(
      "list or answer what the calls of a store (see --durable) wait for, while another process runs them",
    )
    .requiredOption("--store <STORE>", "the store: a file, or postgres://…")
    .option("--approve <CALL>", "approve the call with this id (repeatable)", collect)
    .option("--deny <CALL>", "deny the call with this id (repeatable)", collect)
    .option(
      "--respond <CALL>",
      "answer the effect that the call with this id waits for (repeatable)",
      collect,
    )
    .option(
      "--value <JSON>",
      "the output that --respond gives (default: asks at the terminal; without one, no output)",
    )
    .option("--refuse <CALL>", "refuse the effect that the call with this id waits for (repeatable)", collect)
    .option("--poisoned", "list the calls that ended as poisoned because processes died while they ran")
    .option("--retry <CALL>", "run the poisoned call with this id once more (repeatable)", collect)
    .option("--reason <TEXT>", "the reason, for the model")
    .option("--json", "print one question or poisoned call a line, as JSON")
    .action(async (options: InboxCommandOptions) => {
      const { inboxCommand } = await import("./inbox-command.ts")
      status = await endingAtOnce(() => inboxCommand(options))
    })

  const runAtOnce = async (work: () => Promise<number>): Promise<void> => {
    status = await endingAtOnce(work)
  }
  addReplay(program, runAtOnce)
  addRulesImport(program, runAtOnce)

  program
    .command("undo")
    .allowExcessArguments(false)
    .description(
      "take back what a call has changed in files of this folder, also in an earlier run: the last call, or the one with this id",
    )
    .argument("[CALL]")
    .option("--cwd <DIR>", "the folder that the calls worked in (default: the current one)")
    .option("--last <N>", "the last N calls of one agent that changed something")
    .option("--list", "list what calls have changed, the latest first, without taking anything back")
    .option("--yes", "do not ask first")
    .action((callId: string | undefined, options: UndoCommandOptions) =>
      runAtOnce(async () => {
        const { undoCommand } = await import("./undo-command.ts")
        return undoCommand(callId, options)
      }),
    )

  program
    .command("verify-log")
    .allowExcessArguments(false)
    .description("check that a file of --log was not changed, and that its rules match the calls")
    .argument("<FILE>")
    .option("--key <PUBLIC.pem>", "also check that each line was signed with this Ed25519 key")
    .action(async (file: string, options: VerifyLogOptions) => {
      const { verifyLogCommand } = await import("./verify-log-command.ts")
      status = await verifyLogCommand(file, options)
    })

  program
    .command("help")
    .allowExcessArguments(false)
    .description("show the options of a command; `help options` shows those of a session and of one call")
    .argument("[COMMAND]")
    .action((name: string | undefined) => {
      if (name === "options") {
        process.stdout.write(Command.prototype.helpInformation.call(program))
        return
      }
      const command = name === undefined ? program : program.commands.find((each) => each.name() === name)
      if (command === undefined) {
        const names = program.commands.map((each) => each.name())
        throw new UsageError(
          `There is no command \`${name}\`. Commands: ${names.join(", ")}. \`stepline tools\` lists the tools.`,
        )
      }
      command.outputHelp()
    })

  program.helpInformation = () => shortHelp

  try {
    await program.parseAsync(args, { from: "user" })
    return status
  } catch (error) {
    // Commander has already printed the error.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitStatus.asExpected : exitStatus.usage
    const message = error instanceof UsageError ? error.message : missingPeer(error, peerDependencies)
    if (message === undefined) throw error
    tell(message)
    return exitStatus.usage
  }
}
