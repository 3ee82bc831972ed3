/** What a line typed into the session means: a call, a command of the session, or nothing that it knows. */
import type { ToolRegistry } from "../../pipeline/registry.ts"
import { parseArguments } from "./arguments.ts"

export type SessionCommand = "tasks" | "take" | "cancel" | "tools" | "help" | "quit"

export type Input =
  | { readonly _tag: "Nothing" }
  | {
      readonly _tag: "Call"
      readonly name: string
      readonly params: Record<string, unknown>
      readonly background: boolean
    }
  | { readonly _tag: "Command"; readonly command: SessionCommand; readonly argument: string | undefined }
  | { readonly _tag: "Unknown"; readonly message: string }

/** Commands by what is typed, with what they take and do. */
export const sessionCommands: Readonly<
  Record<SessionCommand, { readonly usage: string; readonly does: string }>
> = {
  tasks: { usage: "/tasks", does: "lists the background tasks" },
  take: { usage: "/take ID", does: "shows the result of a background task that has ended, once" },
  cancel: { usage: "/cancel [ID]", does: "cancels a call or task; without an ID, all foreground calls" },
  tools: { usage: "/tools", does: "lists the tools and how to call them" },
  help: { usage: "/help", does: "shows this" },
  quit: { usage: "/quit", does: "leaves; what still runs is stopped" },
}

const commandNames = new Map<string, SessionCommand>([
  ...(Object.keys(sessionCommands) as Array<SessionCommand>).map((name) => [name, name] as const),
  ["exit", "quit"],
])

const unknown = (message: string): Input => ({ _tag: "Unknown", message })

const parseCommand = (line: string): Input => {
  const [word = "", argument, ...more] = line.slice(1).split(/\s+/)
  const command = commandNames.get(word)
  if (command === undefined) return unknown(`There is no command /${word}. /help lists them.`)
  if (more.length > 0 || (command === "take" && !argument)) {
    return unknown(`Usage: ${sessionCommands[command].usage}`)
  }
  return { _tag: "Command", command, argument: argument || undefined }
}

/** Reads a line. A trailing `&` (not `&&`) means the background. */
export const parseInput = (line: string, registry: ToolRegistry): Input => {
  const text = line.trim()
  if (text === "") return { _tag: "Nothing" }
  if (text.startsWith("/")) return parseCommand(text)
  const [, name = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(text)!
  const tool = registry.get(name) ?? registry.get(`mcp_${name}`)
  if (tool === undefined) {
    return unknown(
      `There is no tool ${name}. Tools: ${registry.names.join(", ")}. /help shows how to call them.`,
    )
  }
  const background = /(?:^|[^&\\])&$/.test(rest)
  const parsed = parseArguments(tool, background ? rest.slice(0, -1) : rest)
  if (parsed._tag === "Invalid") return unknown(parsed.message)
  return { _tag: "Call", name: tool.name, params: parsed.params, background }
}
