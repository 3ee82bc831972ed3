/** The options that commands have in common, as they are declared. */
import type { Command } from "commander"

/** Of an option that may be given several times: all its values. */
export const collect = (value: string, previous: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...previous,
  value,
]

/** Where the tools of a command come from, and where they work. */
export const withToolOptions = (command: Command): Command =>
  command
    .option("--cwd <DIR>", "the folder that the tools work in (default: this one)")
    .option("--tool-path <PATH...>", "modules or folders with tools of other agents, to load besides")
    .option(
      "--no-discovery",
      "do not look for such tools in the usual places (.omp/tools, .pi/extensions, …)",
    )
    .option(
      "--code",
      "also have run_code: JavaScript of a model that calls the other tools; needs the package run",
    )
    .option("--trust", "load what this folder brings of them, for this time, without asking")

/** The MCP servers whose tools a command has. */
export const withServers = (command: Command): Command =>
  command
    .option(
      "--config <FILE>",
      "TOML or JSON with `[tools.NAME]` `allow` and `deny`, each a list of regexes, `[mcp.NAME]` `command` or `url`, and `[[limits]]`",
    )
    .option(
      "--mcp <NAME=COMMAND>",
      "use the tools of the MCP server that this command starts, or of an http(s) address (repeatable)",
      collect,
    )
    .option(
      "--mcp-mode <MODE>",
      "speak to those servers as `legacy` (the default), `auto`, or a revision such as 2026-07-28",
    )

/** Which calls may run. */
export const withRuleOptions = (command: Command): Command =>
  withServers(
    withToolOptions(command)
      .option("--allow <TOOL=REGEX>", "approve such calls without asking (repeatable)", collect)
      .option("--deny <TOOL=REGEX>", "deny such calls, whatever else allows them (repeatable)", collect),
  ).option(
    "--rules <FILE>",
    "TOML with the rules that [a]lways at a gate made, and where new ones go (default: .stepline/rules.toml of a trusted project, else of the home folder)",
  )

/** On what the calls of a command run. */
export const withLocalOptions = (command: Command): Command =>
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
    .option(
      "--limit <TOOLS=WHAT>",
      "hold such tools back, as in `web_*=4 at once, 30 per minute, 20 per turn, wait 2 minutes` (repeatable)",
      collect,
    )
    .option("--log <FILE>", "write each decision about a call into this file, as a chain of JSON lines")
    .option("--log-key <PRIVATE.pem>", "sign each line of --log with this Ed25519 key")
    .option("--allow-domain <DOMAIN>", "let commands in the sandbox reach this domain (repeatable)", collect)
    .option(
      "--nvim [SOCKET]",
      "show what is edited in the Neovim that listens there (default: that of this tmux session, or of $NVIM_LISTEN_ADDRESS)",
    )

/** Who answers. */
export const withPerson = (command: Command): Command =>
  command.option("--as <NAME>", "who answers what is asked here (default: the name of the login)")

/** A page beside what the command does, and who answers there and here. */
export const withPage = (command: Command): Command =>
  withPerson(command).option(
    "--ui",
    "serve a local page besides, to watch what runs and to answer what is asked",
  )

/** A file that holds the timeline. */
export const withTimeline = (command: Command): Command =>
  command.option(
    "--timeline <FILE>",
    "of calls: write their timeline into this file, as a page for a browser",
  )

/** A store that keeps the calls. `what`: for what. */
export const withStore = (command: Command, what: string): Command =>
  command.option("--durable <STORE>", `keep the calls in this store, a file or postgres://…: ${what}`)
