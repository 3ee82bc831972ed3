/** Regular expressions for the patterns of other agents. */

/** A text in a regular expression. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

/** `*` in a command matches any text, including blanks. */
export const commandBody = (glob: string): string => glob.split("*").map(escaped).join("[^]*")

/** `[…]` in a path; undefined if it is not closed. */
const classAt = (glob: string, at: number): string | undefined =>
  /^\[[!^]?\]?[^\]/]*\]/.exec(glob.slice(at))?.[0]

/** A part of a path between slashes. @param across Whether `**` in it may match several parts. */
export const segmentBody = (glob: string, across: boolean): string => {
  let body = ""
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob[at]!
    const group = char === "[" ? classAt(glob, at) : undefined
    if (char === "\\" && at + 1 < glob.length) body += escaped(glob[++at]!)
    else if (char === "?") body += "[^/]"
    else if (char === "*") {
      const isLong = glob[at + 1] === "*"
      while (glob[at + 1] === "*") at += 1
      body += isLong && across ? "[^]*" : "[^/]*"
    } else if (group !== undefined) {
      const isNot = /^\[[!^]/.test(group)
      const inside = group.slice(isNot ? 2 : 1, -1).replace(/[\\\]^[]/g, "\\$&")
      body += isNot ? `[^/${inside}]` : `[${inside}]`
      at += group.length - 1
    } else body += escaped(char)
  }
  return body
}

/** The text before the first wildcard or escape. */
export const headOf = (glob: string): string => /^[^*?[\\]*/.exec(glob)![0]
