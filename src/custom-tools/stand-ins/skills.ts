/** Formats and parses skills in prompts. Their agent finds them. */

interface Skill {
  readonly name: string
  readonly description: string
  readonly filePath: string
  readonly disableModelInvocation?: boolean
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character]!)

/** Formats a list for a system prompt; empty if a model can use none of them. */
export const formatSkillsForPrompt = (skills: ReadonlyArray<Skill>): string => {
  const shown = skills.filter(({ disableModelInvocation }) => disableModelInvocation !== true)
  if (shown.length === 0) return ""
  const items = shown.map(
    ({ name, description, filePath }) =>
      `  <skill>\n    <name>${escaped(name)}</name>\n    <description>${escaped(description)}</description>\n    <location>${escaped(filePath)}</location>\n  </skill>`,
  )
  const how =
    "Read the file of a skill when a task matches its description. Its paths are relative to its folder."
  return `\n\n${how}\n\n<available_skills>\n${items.join("\n")}\n</available_skills>`
}

const block = /^<skill name="([^"]+)" location="([^"]+)">\n([\s\S]*?)\n<\/skill>(?:\n\n([\s\S]+))?$/

/** Parses the message that invoked a skill; returns null for any other. */
export const parseSkillBlock = (
  text: string,
): { name: string; location: string; content: string; userMessage: string | undefined } | null => {
  const [, name, location, content, rest] = block.exec(text) ?? []
  if (name === undefined || location === undefined || content === undefined) return null
  return { name, location, content, userMessage: rest?.trim() || undefined }
}
