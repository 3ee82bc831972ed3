#!/usr/bin/env node
/** The `stepline` command: reads the command line, and loads only what the command needs. */
import { existsSync, readFileSync } from "node:fs"
import { Command, CommanderError } from "commander"
import type { InboxCommandOptions } from "./cli/inbox-command.ts"
import type { LocalOptions } from "./cli/local-executor.ts"
import type { McpCommandOptions } from "./cli/mcp-command.ts"
import type { PlanOptions } from "./cli/plan-command.ts"
import type { RunOptions } from "./cli/run-command.ts"
import { onStop } from "./cli/stopping.ts"
import { exitStatus } from "./cli/tally.ts"
import { tell } from "./cli/tell.ts"
import type { ToolsCommandOptions } from "./cli/tools-command.ts"
import type { UiOptions } from "./cli/ui-command.ts"
import { UsageError } from "./cli/usage-error.ts"

const { version, description } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { version: string; description: string }

const collect = (value: string, previous: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...previous,
  value,
]

const withToolOptions = (command: Command): Command =>
  command
    .option("--cwd <DIR>", "the folder that the tools work in (default: this one)")
    .option("--tool-path <PATH...>", "modules or folders with tools of other agents, to load besides")
    .option(
      "--no-discovery",
      "do not look for such tools in the usual places (.omp/tools, .pi/extensions, …)",
    )
    .option("--trust", "load what this folder brings of them, for this time, without asking")

const withRuleOptions = (command: Command): Command =>
  withToolOptions(command)
    .option("--allow <TOOL=REGEX>", "approve such calls without asking (repeatable)", collect)
    .option("--deny <TOOL=REGEX>", "deny such calls, whatever else allows them (repeatable)", collect)
    .option(
      "--config <FILE>",
      "TOML or JSON with `[tools.NAME]` `allow` and `deny`, each a list of regexes, and `[mcp.NAME]` `command` or `url`",
    )
    .option(
      "--mcp <NAME=COMMAND>",
      "use the tools of the MCP server that this command starts, or of an http(s) address (repeatable)",
      collect,
    )
    .option(
      "--rules <FILE>",
      "TOML with the rules that [a]lways at a gate made, and where new ones go (default: .stepline/rules.toml of a trusted project, else of the home folder)",
    )

const withLocalOptions = (command: Command): Command =>
  withRuleOptions(command)
    .option(
      "--pass-env <NAME>",
      "let commands have this variable, though its name looks like a secret (repeatable)",
      collect,
    )
    .option(
      "--sandbox",
      "hold commands and file tools to the folder that they work in, without network; what shall leave the sandbox is asked",
    )
    .option("--log <FILE>", "write each decision about a call into this file, as a chain of JSON lines")
    .option("--allow-domain <DOMAIN>", "let commands in the sandbox reach this domain (repeatable)", collect)
    .option(
      "--nvim [SOCKET]",
      "show what is edited in the Neovim that listens there (default: that of this tmux session, or of $NVIM_LISTEN_ADDRESS)",
    )

/** What stands in front of a command holds for it, as far as the command knows it, beside what stands behind. */
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

/** `--tool-path` and `--nvim` take what follows them, also a command, unless that is the name of a file. */
const expectNoCommand = (program: Command, { toolPath = [], nvim }: RunOptions): void => {
  for (const value of [...toolPath, nvim]) {
    if (typeof value !== "string" || existsSync(value)) continue
    if (!program.commands.some((command) => command.name() === value)) continue
    program.error(
      `error: the command '${value}' was taken for the value of an option: put it in front of that`,
    )
  }
}

/** A page beside what the command does. */
const withPage = (command: Command): Command =>
  command.option("--ui", "serve a local page besides, to watch what runs and to answer what is asked")

const withTimeline = (command: Command): Command =>
  command.option(
    "--timeline <FILE>",
    "of calls: write their timeline into this file, as a page for a browser",
  )

const withStore = (command: Command, what: string): Command =>
  command.option("--durable <STORE>", `keep the calls in this store, a file or postgres://…: ${what}`)

const runHelp = `
A line of FILE is a call:
  {"name": "shell", "params": {"command": "npm test"}}
and may have "agentId", "callId", "background": true, "decision": "deny", and "expect": how the call is meant to end
("complete", "error", "denied", "cancelled", or {"exitCode": 3} for a command that shall not end with 0). {"wait": "ID"} holds what is below until the call of that id has ended,
also in the background. Lines that start with # are headings, with // comments.

Calls of one agent run in their order; agents do not wait for each other. What no rule allows is asked at the terminal.
Without a terminal, or with the script on stdin, it is denied: a script cannot approve its own calls.
FILE comes before a bare --nvim and before --tool-path, which take what follows them.
Calls named resolve apply or discard previews; those that are left at the end are dropped, and named on stderr.
With --json, a result is followed by a <notification> of each background task of its agent that has ended meanwhile.

Exit status:
  0  every call ended as it was meant to
  1  a call failed or was cancelled, or a command ended otherwise than with 0
  2  nothing ran: the command line or a line of FILE is wrong
  3  no call failed, but one was denied`

const program = withStore(
  withTimeline(withPage(withLocalOptions(new Command("stepline")))),
  "a session goes on with those that it has",
)
  .option("--yes", "of a call or lines on stdin: approve everything that no deny rule stops")
  .option("--json", "of a call: write an event a line instead of blocks")
  .usage("[options] [command | TOOL [ARGS...]]")
  .description(
    `${description}\n\nAlone on a terminal it opens a session; elsewhere it runs the lines of one from stdin. With the name of a tool it runs\none call: stepline shell "echo hi", stepline read_file a.txt 1 20, stepline edit_file a.txt '{"edits": …}'.`,
  )
  .version(version)
  .enablePositionalOptions()
  .showHelpAfterError("(--help shows what there is)")
  .exitOverride()
  .allowExcessArguments()
  .passThroughOptions()
  .hook("preAction", (_program, command) => {
    if (command !== program) inherit(program, command)
  })
  .action(async (options: RunOptions, command: Command) => {
    expectNoCommand(program, options)
    if (command.args.length > 0) {
      const { callCommand } = await import("./cli/call-command.ts")
      const names = program.commands.map((each) => each.name())
      process.exitCode = await callCommand(command.args, options, names)
      return
    }
    const { sessionCommand, tourCommand } = await import("./cli/session-command.ts")
    const status = await sessionCommand(options, version)
    if (status !== undefined) process.exitCode = status
    else if (Object.keys(options).some((name) => program.getOptionValueSource(name) === "cli")) {
      program.error("error: there is nothing on stdin that these options could be for")
    } else {
      const toured = await tourCommand()
      if (toured === undefined) program.outputHelp()
      process.exitCode = toured ?? 0
    }
  })

withStore(
  withTimeline(withPage(withLocalOptions(program.command("run")))),
  "killed and started again it goes on, and `stepline inbox` answers it from elsewhere",
)
  .allowExcessArguments(false)
  .description("run the calls of a file of JSON lines, or of stdin (-)")
  .argument("<FILE>")
  .option("--yes", "approve everything that no deny rule stops")
  .option("--json", "write an event a line instead of blocks")
  .addHelpText("after", runHelp)
  .action(async (file: string, options: RunOptions) => {
    const { runCommand } = await import("./cli/run-command.ts")
    process.exitCode = await runCommand(file, options)
  })

withPage(withLocalOptions(program.command("serve")))
  .allowExcessArguments(false)
  .description("serve a host in another language: JSON-RPC 2.0, a message a line, on stdin and stdout")
  .action(async (options: LocalOptions) => {
    const { serveCommand } = await import("./cli/serve-command.ts")
    // What is left to be written is for nobody, or was written.
    process.exit(await serveCommand(options, version))
  })

withStore(withLocalOptions(program.command("ui")), "the page goes on with those that it has")
  .allowExcessArguments(false)
  .description("serve a local page to call tools from, to watch them, and to answer what they ask")
  .option("--port <PORT>", "of this machine (default: any that is free)")
  .option(
    "--store <STORE>",
    "show and answer the calls that another process runs in this store (of --durable); this one runs none",
  )
  .action(async (options: UiOptions) => {
    const { uiCommand } = await import("./cli/ui-command.ts")
    process.exitCode = await uiCommand(options)
  })

withToolOptions(program.command("tools"))
  .allowExcessArguments(false)
  .description("list the tools with their parameters, and those that could not be loaded")
  .option(
    "--json",
    "the definitions that a model is given, with their JSON Schemas, and where those of other agents come from",
  )
  .action(async (options: ToolsCommandOptions) => {
    onStop((status) => process.exit(status))
    const { toolsCommand } = await import("./cli/tools-command.ts")
    process.exitCode = await toolsCommand(options)
  })

withPage(withLocalOptions(program.command("mcp")))
  .allowExcessArguments(false)
  .description("serve the tools to an MCP client, on stdin and stdout; what no rule allows is asked there")
  .option(
    "--http <PORT>",
    "serve this port of this machine instead; clients send the bearer token of $STEPLINE_MCP_TOKEN, or the one that is told",
  )
  .action(async (options: McpCommandOptions) => {
    const { mcpCommand } = await import("./cli/mcp-command.ts")
    process.exitCode = await mcpCommand(options, version)
  })

withLocalOptions(program.command("acp"))
  .allowExcessArguments(false)
  .description(
    "be an agent of an editor that speaks ACP, on stdin and stdout: each prompt runs the calls of a script, as of run",
  )
  .argument("[FILE]", "the script (default: the text of each prompt)")
  .action(async (file: string | undefined, options: LocalOptions) => {
    const { acpCommand } = await import("./cli/acp-command.ts")
    process.exitCode = await acpCommand(file, options, version)
  })

program
  .command("tour")
  .allowExcessArguments(false)
  .description("run a tour of real calls on stepline's own checkout")
  .action(async () => {
    const { tourCommand } = await import("./cli/session-command.ts")
    const status = await tourCommand()
    if (status === undefined)
      program.error("error: the tour is in a checkout of stepline, not in the package")
    process.exitCode = status
  })

withRuleOptions(program.command("plan"))
  .allowExcessArguments(false)
  .description("show the pipeline of a call, and what the rules make of it; nothing of it runs")
  .argument("<TOOL>")
  .argument("[JSON]", "its parameters", "{}")
  .option("--mermaid", "as a Mermaid flowchart")
  .action(async (name: string, json: string, options: PlanOptions) => {
    onStop((status) => process.exit(status))
    const { planCommand } = await import("./cli/plan-command.ts")
    process.exitCode = await planCommand(name, json, options)
  })

program
  .command("inbox")
  .allowExcessArguments(false)
  .description(
    "list what the calls of a store (--durable) wait for, or answer it, while another process runs them",
  )
  .requiredOption("--store <STORE>", "the store: its file, or postgres://…")
  .option("--approve <CALL>", "approve the call of this id (repeatable)", collect)
  .option("--deny <CALL>", "deny the call of this id (repeatable)", collect)
  .option("--respond <CALL>", "answer the effect that the call of this id waits for (repeatable)", collect)
  .option(
    "--value <JSON>",
    "what --respond answers with (default: what is typed; without a terminal, nothing)",
  )
  .option("--refuse <CALL>", "refuse the effect that the call of this id waits for (repeatable)", collect)
  .option("--reason <TEXT>", "why, for the model")
  .option("--json", "a question a line, as JSON")
  .action(async (options: InboxCommandOptions) => {
    onStop((status) => process.exit(status))
    const { inboxCommand } = await import("./cli/inbox-command.ts")
    process.exitCode = await inboxCommand(options)
  })

program
  .command("verify-log")
  .allowExcessArguments(false)
  .description("check that nothing in a file of --log was changed, and that its rules match again")
  .argument("<FILE>")
  .action(async (file: string) => {
    const { verifyLogCommand } = await import("./cli/verify-log-command.ts")
    process.exitCode = await verifyLogCommand(file)
  })

try {
  await program.parseAsync()
} catch (error) {
  // Commander has told the user already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : exitStatus.usage
  else if (error instanceof UsageError) {
    tell(error.message)
    process.exitCode = exitStatus.usage
  } else throw error
}
// A foreign tool may have left something open, such as a timer, that would keep the process.
process.stdout.write("", () => process.exit())
