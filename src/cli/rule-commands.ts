/** The commands about rules, as they are declared. */
import type { Command } from "commander"
import { withRuleOptions } from "./command-options.ts"
import type { ReplayOptions } from "./replay-command.ts"

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
