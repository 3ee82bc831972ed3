/** What a module's process may ask its host for, by name. Everything else of the contexts is answered within the process. */

/** Dialogs of the screen, whose answers are awaited. */
export const dialogs = ["select", "confirm", "input", "editor"] as const

/** Notes for the screen. */
export const uiNotes = [
  "notify",
  "setStatus",
  "setTitle",
  "setEditorText",
  "setWorkingMessage",
  "setWidget",
] as const

/** Requests to the host of which nobody awaits an answer. */
export const hostMethods = ["sendMessage", "sendUserMessage", "shutdown"] as const

/** Questions about the host's session, whose answers its process is told with each question. */
export const stateMethods = ["isIdle", "isProjectTrusted", "hasPendingMessages"] as const

/** What is written to the host's log. */
export const logLevels = ["error", "warn", "info", "debug"] as const

/** What a host is told of a tool as plain data, by name. */
const fields = ["name", "label", "description", "parameters", "hidden", "annotations", "approval"]

export const toldOf = (tool: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map((field) => [field, Reflect.get(tool, field)]))
