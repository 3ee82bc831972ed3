/** A session's messages as a model reads them, and as one text. */
import { contentText } from "./values.ts"

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly name?: string
  readonly arguments?: Readonly<Record<string, unknown>>
}

/** A message of a session; its fields depend on the role. */
export interface SessionMessage {
  readonly role: string
  readonly content?: string | ReadonlyArray<Block>
  readonly timestamp?: number
  readonly [field: string]: unknown
}

const userMessage = (
  content: string | ReadonlyArray<Block>,
  { timestamp }: SessionMessage,
): SessionMessage => ({
  role: "user",
  content: typeof content === "string" ? [{ type: "text", text: content }] : content,
  ...(timestamp !== undefined && { timestamp }),
})

const textOfBash = (message: SessionMessage): string => {
  const { command, output, cancelled, exitCode, truncated, fullOutputPath } = message
  const parts = [`The user ran \`${command}\`:`, output ? `\`\`\`\n${output}\n\`\`\`` : "(no output)"]
  if (cancelled === true) parts.push("(cancelled)")
  else if (typeof exitCode === "number" && exitCode !== 0) parts.push(`(exit code ${exitCode})`)
  if (truncated === true && fullOutputPath) parts.push(`(truncated; all of it: ${fullOutputPath})`)
  return parts.join("\n")
}

const toModelMessage = (message: SessionMessage): SessionMessage | undefined => {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
      return message
    case "custom":
      return userMessage(message.content ?? "", message)
    case "bashExecution":
      return message.excludeFromContext === true ? undefined : userMessage(textOfBash(message), message)
    case "branchSummary":
      return userMessage(
        `What happened on another branch:\n\n<summary>\n${message.summary}\n</summary>`,
        message,
      )
    case "compactionSummary":
      return userMessage(`What happened before:\n\n<summary>\n${message.summary}\n</summary>`, message)
    default:
      return undefined
  }
}

/**
 * Converts to messages of the user, the model and its tools; other kinds become the user's, or are dropped if a model does
 * not see them.
 */
export const convertToLlm = (messages: ReadonlyArray<SessionMessage>): Array<SessionMessage> =>
  messages.map(toModelMessage).filter((message) => message !== undefined)

const maxResultCharacters = 2000

const shortened = (text: string): string =>
  text.length <= maxResultCharacters
    ? text
    : `${text.slice(0, maxResultCharacters)}\n\n[${text.length - maxResultCharacters} more characters]`

const showCall = ({ name, arguments: args = {} }: Block): string =>
  `${name}(${Object.entries(args)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(", ")})`

const partsOf = (message: SessionMessage): Array<readonly [label: string, text: string]> => {
  const { role, content } = message
  if (role === "user") return [["User", contentText(content ?? [], "")]]
  if (role === "toolResult") return [["Tool result", shortened(contentText(content ?? [], ""))]]
  if (role !== "assistant") return []
  const blocks = typeof content === "string" ? [] : (content ?? [])
  const thoughts = blocks.flatMap(({ type, thinking = "" }) => (type === "thinking" ? [thinking] : []))
  return [
    ["Assistant thinking", thoughts.join("\n")],
    ["Assistant", contentText(content ?? [], "\n")],
    [
      "Assistant tool calls",
      blocks
        .filter(({ type }) => type === "toolCall")
        .map(showCall)
        .join("; "),
    ],
  ]
}

/** Serialises a conversation to one text, which a model reads as a document instead of continuing it. */
export const serializeConversation = (messages: ReadonlyArray<SessionMessage>): string =>
  messages
    .flatMap(partsOf)
    .filter(([, text]) => text !== "")
    .map(([label, text]) => `[${label}]: ${text}`)
    .join("\n\n")
