/** Completions of a typed line for the Tab key: names of tools and commands, ids of tasks, paths. */
import type { BackgroundTask } from "../../tasks/background-tasks.ts"
import { completePath } from "./complete-path.ts"
import { type CallableTools, sessionCommands } from "./input.ts"
import type { Completion } from "./line-editor.ts"

export interface CompletionSources {
  readonly tools: CallableTools
  readonly tasks: ReadonlyArray<BackgroundTask>
  /** The base of relative paths. */
  readonly cwd: string
}

const startingWith = (word: string, candidates: ReadonlyArray<string>, from: number): Completion => ({
  from,
  candidates: candidates.filter((candidate) => candidate.startsWith(word)),
})

/** @param before The text before the cursor. */
export const completeLine = (
  before: string,
  { tools, tasks, cwd }: CompletionSources,
): Completion | Promise<Completion> => {
  const [, first = "", gap = "", rest = ""] = /^(\S*)(\s*)(.*)$/s.exec(before)!
  if (gap === "" && !first.startsWith("!")) {
    const words = [...tools.names, ...Object.keys(sessionCommands).map((name) => `/${name}`)]
    return startingWith(
      first,
      words.map((name) => `${name} `),
      0,
    )
  }
  if (first === "/take" || first === "/cancel") {
    return startingWith(
      rest,
      tasks.map(({ id }) => id),
      before.length - rest.length,
    )
  }
  if (first.startsWith("/")) return { from: before.length, candidates: [] }
  return completePath(before.replace(/^!/, " "), cwd)
}
