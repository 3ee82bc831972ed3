/** Parses a line that is typed into the session: a call, a command of the session, or neither. */

import type { Tool } from "../../model/tool.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { parseArguments } from "./arguments.ts"

/** The tools that a line can call. */
export interface CallableTools {
  /** The names of the offered tools. */
  readonly names: ReadonlyArray<string>
  get(name: string): Tool<unknown> | undefined
}

/** The tools that the executor offers at the time of the call. */
export const callableTools = (executor: Pick<ToolExecutor, "agent">): CallableTools => ({
  get names() {
    return executor
      .agent()
      .definitions()
      .map(({ name }) => name)
  },
  get: (name) => executor.agent().tool(name),
})

export type SessionCommand =
  | "tasks"
  | "take"
  | "cancel"
  | "pending"
  | "apply"
  | "discard"
  | "changes"
  | "undo"
  | "corrections"
  | "tools"
  | "help"
  | "quit"

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

interface CommandDescription {
  readonly usage: string
  readonly does?: string
  /** The argument: one word, or the rest of the line. Default: none. */
  readonly takes?: "word" | "text"
  readonly required?: boolean
}

/** Commands by name, with their arguments and effects. */
export const sessionCommands: Readonly<Record<SessionCommand, CommandDescription>> = {
  tasks: { usage: "/tasks", does: "lists the background tasks" },
  take: {
    usage: "/take ID",
    does: "shows the result of a background task that has ended, once",
    takes: "word",
    required: true,
  },
  cancel: {
    usage: "/cancel [ID]",
    does: "cancels a call or task; else all in the foreground",
    takes: "word",
  },
  pending: { usage: "/pending", does: "lists the previews that wait, the latest first" },
  apply: { usage: "/apply [REASON]", does: "makes the changes of the latest preview", takes: "text" },
  discard: { usage: "/discard [REASON]", does: "drops the latest preview", takes: "text" },
  // Without a description of its own: the help lists it with `/undo`, so that the help fits a screen.
  changes: { usage: "/changes" },
  undo: {
    usage: "/undo [ID]",
    does: "previews taking back the last call, or one of /changes",
    takes: "word",
  },
  corrections: { usage: "/corrections", does: "shows what was learned from mistakes here" },
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
  const [, word = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(line)!
  const command = commandNames.get(word)
  if (command === undefined) return unknown(`There is no command /${word}. /help lists them.`)
  const { usage, takes, required } = sessionCommands[command]
  const fits = rest === "" ? required !== true : takes === "text" || (takes === "word" && !/\s/.test(rest))
  if (!fits) return unknown(`Usage: ${usage}`)
  return { _tag: "Command", command, argument: rest || undefined }
}

export const findTool = (name: string, tools: CallableTools): Tool<unknown> | undefined =>
  tools.get(name) ?? tools.get(`mcp_${name}`)

const unknownTool = (name: string, { names }: CallableTools): Input =>
  unknown(`There is no tool ${name}. Tools: ${names.join(", ")}. /help shows how to call them.`)

const callShape = 'A call is {"name": "TOOL", "params": {…}}, with "background": true where it is meant.'

/** A whole call as JSON, as in a line of a script. */
const parseCall = (json: string, inBackground: boolean, tools: CallableTools): Input => {
  let call: unknown
  try {
    call = JSON.parse(json)
  } catch (error) {
    return unknown(`No JSON: ${(error as Error).message}`)
  }
  const { name, params = {}, background = inBackground, ...others } = call as Record<string, unknown>
  const [other] = Object.keys(others)
  // A script's `decision` or `expect` must not be lost without a word.
  if (other !== undefined) return unknown(`A call has no ${JSON.stringify(other)} here. ${callShape}`)
  if (typeof name !== "string" || !isPlainObject(params) || typeof background !== "boolean") {
    return unknown(callShape)
  }
  const tool = findTool(name, tools)
  return tool === undefined ? unknownTool(name, tools) : { _tag: "Call", name: tool.name, params, background }
}

/** Reads a line. A trailing `&` (not `&&`) means the background. */
export const parseInput = (line: string, tools: CallableTools): Input => {
  const text = line.trim()
  if (text === "") return { _tag: "Nothing" }
  if (text.startsWith("/")) return parseCommand(text)
  if (text.startsWith("!")) return parseInput(`shell ${text.slice(1)}`, tools)
  const background = /[^&\\]&$/.test(text)
  const call = background ? text.slice(0, -1) : text
  if (text.startsWith("{")) return parseCall(call, background, tools)
  const [, name = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(call)!
  const tool = findTool(name, tools)
  if (tool === undefined) return unknownTool(name, tools)
  const parsed = parseArguments(tool, rest)
  if (parsed._tag === "Invalid") return unknown(parsed.message)
  return { _tag: "Call", name: tool.name, params: parsed.params, background }
}
