/**
 * The commands that the parser found in a line, to be compared with those that the grammar found: if they differ, one of
 * the two is wrong.
 */
import type { Command, HereDoc, Redirection } from "unbash"
import type { Understood } from "./grammar.ts"
import { assignmentWord, shellWord } from "./shell-word.ts"

const commandKey = (
  assignments: ReadonlyArray<string>,
  words: ReadonlyArray<{ readonly source: string; readonly value: string | undefined }>,
): string => JSON.stringify([assignments, words.map(({ source, value }) => [source, value ?? null])])

const hereDocument = ({ delimiter, body, operator }: HereDoc): string => {
  const text = operator === "<<-" ? body.text.replace(/^\t+/gm, "") : body.text
  return `${delimiter?.text ?? ""}\n${text}`
}

const redirectKey = (redirect: Redirection): string => {
  const { descriptor, operator } = redirect
  const number = descriptor?.type === "FileDescriptor" ? descriptor.value : (descriptor?.name ?? "")
  const target = redirect.type === "HereDoc" ? hereDocument(redirect) : (redirect.target?.text ?? "")
  return `${number}${operator} ${target}`
}

const same = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean => {
  if (left.length !== right.length) return false
  const sorted = right.toSorted()
  return left.toSorted().every((key, index) => key === sorted[index])
}

export class Reading {
  private readonly commands: Array<string> = []
  private readonly redirects: Array<string> = []

  command({ prefix, name, args }: Command): void {
    const assignments = prefix.filter((part) => part.type === "Assignment").map(({ text }) => text)
    const words = [name, ...args].filter((word) => word !== undefined)
    this.commands.push(
      commandKey(
        assignments,
        words.map((word) => {
          const { source, text, literal } =
            word.type === "Assignment" ? assignmentWord(word) : shellWord(word)
          return { source, value: literal ? text : undefined }
        }),
      ),
    )
  }

  redirect(redirect: Redirection): void {
    this.redirects.push(redirectKey(redirect))
  }

  agrees({ commands, redirects }: Understood): boolean {
    const keys = commands.map(({ assignments, words }) => commandKey(assignments, words))
    return same(keys, this.commands) && same(redirects, this.redirects)
  }
}
