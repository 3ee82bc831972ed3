/** Declares the commands about rules. */
import type { Command } from "commander"
import { withRuleOptions } from "./command-options.ts"
import type { ReplayOptions } from "./replay-command.ts"
import type { RulesImportOptions } from "./rules-import-command.ts"

/** Runs a command, and stores its exit status. */
type Run = (work: () => Promise<number>) => Promise<void>

const replayHelp = `
Exit status:
  0  no call would be decided differently
  1  at least one call would
  2  the command line, the rules or the store is wrong`

/** `stepline replay` */
export const addReplay = (program: Command, run: Run): void => {
  withRuleOptions(program.command("replay"))
    .allowExcessArguments(false)
    .description(
      "decide the calls of a store (see --durable) again, with the rules that run would use, and show the ones that would be decided differently; nothing runs, and the store is not changed",
    )
    .argument("<STORE>", "a file, or postgres://…")
    .option("--agent <ID>", "only calls of this agent")
    .option("--since <TIME>", 'only calls that began after this time: 2026-01-31T12:00Z, or "2 days" ago')
    .option("--json", "print one call a line, as JSON, and the counts in the last line")
    .addHelpText("after", replayHelp)
    .action(async (store: string, options: ReplayOptions) => {
      const { replayCommand } = await import("./replay-command.ts")
      await run(() => replayCommand(store, options))
    })
}

const importHelp = `
FILE is a settings.json of Claude Code, or a .rules file of Codex. The converted rules allow nothing that FILE does not allow.

The report says for each rule:
  same      decides about the same calls
  narrower  allows fewer calls without asking, or denies more
  asked     its calls ask
  dropped   was not converted`

/** `stepline rules import` */
export const addRulesImport = (program: Command, run: Run): void => {
  program
    .command("rules")
    .description("convert the permission rules of another agent: see stepline rules import --help")
    .helpCommand(false)
    .command("import")
    .allowExcessArguments(false)
    .description("convert the permission rules of Claude Code or Codex, and report on each")
    .argument("<FILE>")
    .option("--out <FILE>", "write the rules into this file, for --rules")
    .option("--json", "print the rules and the report as JSON")
    .addHelpText("after", importHelp)
    .action(async (file: string, options: RulesImportOptions) => {
      const { rulesImportCommand } = await import("./rules-import-command.ts")
      await run(() => rulesImportCommand(file, options))
    })
}
