/** Names that model providers accept, for tools that others have named. */

const maxLength = 64

const worded = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_")

const accepted = (name: string): string => worded(name).slice(0, maxLength)

/** The name by which rules know a tool of a server, as in Claude Code. */
export const serverToolName = (server: string, tool: string): string =>
  `mcp__${worded(server)}__${worded(tool)}`

/** Returns the first free name: the tool's own, the same with the server's name as a prefix, or that with a number. */
export const remoteName = (server: string, tool: string, isTaken: (name: string) => boolean): string => {
  const own = accepted(tool)
  if (own !== "" && !isTaken(own)) return own
  const prefixed = accepted(`${server}_${tool}`)
  let name = prefixed
  for (let count = 2; isTaken(name); count++) {
    const suffix = `_${count}`
    name = prefixed.slice(0, maxLength - suffix.length) + suffix
  }
  return name
}
