/** Names that model providers accept, for tools that other people have named. */

const maxLength = 64

const accepted = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxLength)

/** The first of those names that is free: the tool's own, with its server's in front, and so with a number behind. */
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
