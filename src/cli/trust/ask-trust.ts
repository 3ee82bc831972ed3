/** Asks at the terminal, on stderr, whether a folder's code may be loaded. */
import { createInterface } from "node:readline"
import { visibleLine } from "../../hosts/terminal/render-text.ts"
import { shortPath } from "../short-path.ts"
import { interrupt, typedBefore } from "../until-quiet.ts"
import type { ProjectCode } from "./project-code.ts"
import { rulesName, rulesToShow } from "./project-rules.ts"
import type { TrustAnswer } from "./trust-store.ts"

/** Whether a person can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

const maxNamed = 20

const modulesOf = ({ modules, folder }: ProjectCode, cwd: string): Array<string> =>
  modules.map((path) => visibleLine(shortPath(shortPath(path, cwd), folder)))

/** The paths of the first files, safe to print. */
export const namesOf = (code: ProjectCode, cwd: string): Array<string> => {
  const names = [...modulesOf(code, cwd), ...(code.rules === undefined ? [] : [rulesName])]
  const more = names.length - maxNamed
  return more > 0 ? [...names.slice(0, maxNamed), `and ${more} more`] : names
}

const indented = (line: string): string => `  ${line}`

/** The places where code computes at run time what it loads. */
const unfollowedOf = ({ unfollowed, folder }: ProjectCode, cwd: string): Array<string> => {
  if (unfollowed.length === 0) return []
  const lines = unfollowed.map(([path, words]) =>
    indented(visibleLine(`${shortPath(shortPath(path, cwd), folder)}: ${words}`)),
  )
  const more = lines.length - maxNamed
  return [
    "What it loads here shows only while it runs, so all code of the folder counts, and nothing else of it is loaded:",
    ...lines.slice(0, maxNamed),
    ...(more > 0 ? [indented(`and ${more} more`)] : []),
  ]
}

/** The complete description of what to decide about. */
const subjectOf = async (code: ProjectCode, cwd: string, hasChanged: boolean): Promise<string> => {
  const folder = visibleLine(code.folder)
  const isCode = code.modules.length > 0
  const what = isCode ? "code that would run in this process, with all that you may do" : "rules of its own"
  const rules = code.rules === undefined ? [] : (await rulesToShow(code.rules)).map(indented)
  return [
    hasChanged ? `What ${folder} brings has changed since you were asked:` : `${folder} brings ${what}:`,
    ...modulesOf(code, cwd).map(indented),
    ...unfollowedOf(code, cwd),
    ...(code.rules === undefined ? [] : [`and what would decide on calls, in ${rulesName}:`, ...rules]),
    "",
  ].join("\n")
}

const questionOf = ({ hash }: ProjectCode): string =>
  hash === undefined
    ? "Load it? It is too much to be remembered, or to be looked at again before it is loaded. [y/N] "
    : "Load it, now and until it changes? [y]es, [n]o and do not ask again, Enter: not this time "

/** Resolves with undefined for neither answer; Ctrl-C ends the process. */
export const askTrust = async (
  code: ProjectCode,
  cwd: string,
  hasChanged: boolean,
): Promise<TrustAnswer | undefined> => {
  process.stderr.write(await subjectOf(code, cwd, hasChanged))
  const typed = await typedBefore(process)
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    let answer: TrustAnswer | undefined
    lines.once("SIGINT", interrupt)
    lines.once("close", () => {
      // It was meant for whatever reads after the question.
      if (typed.length > 0) process.stdin.unshift(typed)
      resolve(answer)
    })
    lines.question(questionOf(code), (line) => {
      const word = line.trim().toLowerCase()
      if (word === "y" || word === "yes") answer = "yes"
      if (word === "n" || word === "no") answer = "no"
      lines.close()
    })
  })
}
