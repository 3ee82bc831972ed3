/** Reads drawn text back, by what its documentation says of the marks and by nothing of its code. */
const controls =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"

const contentOf = (content: string): string => {
  const counted = /^(\d+) (space|newline|tab)s$/.exec(content)
  if (counted !== null) {
    const character = { space: " ", newline: "\n", tab: "\t" }[counted[2]!]!
    return character.repeat(Number(counted[1]))
  }
  if (content.startsWith("U+")) return String.fromCodePoint(Number.parseInt(content.slice(2), 16))
  if (content === "DEL") return "\u007f"
  return String.fromCharCode(controls.split(" ").indexOf(content))
}

export const unmarked = (drawn: string): string =>
  drawn.replace(/⟦([^⟧]+)⟧| ⏎ |⇥ {3}|␣|\u200e/g, (part, content?: string) => {
    if (content !== undefined) return contentOf(content)
    return { " ⏎ ": "\n", "⇥   ": "\t", "␣": " ", "\u200e": "" }[part]!
  })
