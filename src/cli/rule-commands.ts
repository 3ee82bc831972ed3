/** The commands about rules, as they are declared. */
import type { Command } from "commander"
import { withRuleOptions } from "./command-options.ts"
import type { ReplayOptions } from "./replay-command.ts"
import type { RulesImportOptions } from "./rules-import-command.ts"

/** Runs a command, and keeps its exit status. */
type Run = (work: () => Promise<number>) => Promise<void>

const replayHelp = `
Exit status:
  0  no call would be decided otherwise
  1  a call would be
  2  the command line, the rules or the store is wrong`

/** `stepline replay` */
export const addReplay = (program: Command, run: Run): void => {
  withRuleOptions(program.command("replay"))
    .allowExcessArguments(false)
    .description(
      "decide the calls that a store (--durable) has recorded anew, with the rules that run would take, and show which would be decided otherwise; nothing runs, and the store stays as it is",
    )
    .argument("<STORE>", "its file, or postgres://…")
    .option("--agent <ID>", "only calls of this agent")
    .option("--since <TIME>", 'only calls that began since then: 2026-01-31T12:00Z, or "2 days" ago')
    .option("--json", "a call a line, as JSON, and the counts in the last line")
    .addHelpText("after", replayHelp)
    .action(async (store: string, options: ReplayOptions) => {
      const { replayCommand } = await import("./replay-command.ts")
      await run(() => replayCommand(store, options))
    })
}

const importHelp = `
FILE is a settings.json of Claude Code, or a .rules file of Codex. What is allowed by the rules that come of it is allowed there too.

What becomes of a rule:
  same      it decides about the same calls
  narrower  less runs unasked than there; of a deny rule, more is denied
  asked     its calls are asked
  dropped   no rule is made of it`

/** `stepline rules import` */
export const addRulesImport = (program: Command, run: Run): void => {
  program
    .command("rules")
    .description("take over the permission rules of another agent: see stepline rules import --help")
    .helpCommand(false)
    .command("import")
    .allowExcessArguments(false)
    .description("translate the permission rules of Claude Code or Codex, and say what becomes of each")
    .argument("<FILE>")
    .option("--out <FILE>", "make this file of them, for --rules")
    .option("--json", "the rules and the report as JSON")
    .addHelpText("after", importHelp)
    .action(async (file: string, options: RulesImportOptions) => {
      const { rulesImportCommand } = await import("./rules-import-command.ts")
      await run(() => rulesImportCommand(file, options))
    })
}
