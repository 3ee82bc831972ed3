/** Declares the options that commands have in common. */
import type { Command } from "commander"

/** Collects the values of an option that can be given several times. */
export const collect = (value: string, previous: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...previous,
  value,
]

/** Options for the tools of a command, and their working directory. */
export const withToolOptions = (command: Command): Command =>
  command
    .option("--cwd <DIR>", "the folder that the tools work in (default: the current one)")
    .option("--tool-path <PATH...>", "also load tools of other agents from these modules or folders")
    .option(
      "--no-discovery",
      "do not look for tools of other agents in the usual places (.omp/tools, .pi/extensions, …)",
    )
    .option(
      "--code",
      "add the tool run_code, which runs JavaScript that calls the other tools; needs the package run",
    )
    .option("--trust", "load the tools and rules of this folder without asking, this time only")

/** Options for the MCP servers whose tools a command has. */
export const withServers = (command: Command): Command =>
  command
    .option(
      "--config <FILE>",
      "TOML or JSON with `[tools.NAME]` `allow` and `deny`, each a list of regexes, `[mcp.NAME]` `command` or `url`, and `[[limits]]`",
    )
    .option(
      "--mcp <NAME=COMMAND>",
      "add the tools of an MCP server: a command that starts it, or an http(s) address (repeatable)",
      collect,
    )
    .option(
      "--mcp-mode <MODE>",
      "the protocol for MCP servers: `legacy` (default), `auto`, or a revision such as 2026-07-28",
    )

/** Options for the rules about calls. */
export const withRuleOptions = (command: Command): Command =>
  withServers(
    withToolOptions(command)
      .option("--allow <TOOL=REGEX>", "approve calls that match, without asking (repeatable)", collect)
      .option(
        "--deny <TOOL=REGEX>",
        "deny calls that match, whatever else allows them (repeatable)",
        collect,
      ),
  ).option(
    "--rules <FILE>",
    "the TOML file that [a]lways at a gate reads and adds rules to (default: .stepline/rules.toml of a trusted project, else of the home folder)",
  )

/** Options for the machine that the calls run on. */
export const withLocalOptions = (command: Command): Command =>
  withRuleOptions(command)
    .option(
      "--pass-env <NAME>",
      "pass this variable to commands, although its name looks like a secret (repeatable)",
      collect,
    )
    .option(
      "--sandbox",
      "keep commands and file tools inside the folder, without network; a command asks before it leaves the sandbox",
    )
    .option(
      "--limit <TOOLS=WHAT>",
      "limit how often tools run, as in `web_*=4 at once, 30 per minute, 20 per turn, wait 2 minutes` (repeatable)",
      collect,
    )
    .option("--log <FILE>", "append each decision about a call to this file, as a chain of JSON lines")
    .option("--log-key <PRIVATE.pem>", "sign each line of --log with this Ed25519 key")
    .option(
      "--allow-domain <DOMAIN>",
      "allow commands in the sandbox to reach this domain (repeatable)",
      collect,
    )
    .option(
      "--nvim [SOCKET]",
      "show edits in the Neovim that listens on this socket (default: the one of this tmux session, or $NVIM_LISTEN_ADDRESS)",
    )

/** The option for who answers. */
export const withPerson = (command: Command): Command =>
  command.option("--as <NAME>", "the name of the person who answers here (default: the login name)")

/** Options for a page beside the command, and who answers on both. */
export const withPage = (command: Command): Command =>
  withPerson(command).option("--ui", "also serve a local page to watch calls and answer questions")

/** The option for a timeline file. */
export const withTimeline = (command: Command): Command =>
  command.option("--timeline <FILE>", "for calls: write their timeline into this file, as an HTML page")

/** The option for a store that keeps the calls. `what`: its purpose, for the help. */
export const withStore = (command: Command, what: string): Command =>
  command.option("--durable <STORE>", `keep the calls in this store, a file or postgres://…; ${what}`)
