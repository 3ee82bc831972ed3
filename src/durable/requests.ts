/** What other processes ask of the one that runs the calls: a row each, answered in the transaction that it took effect in. */
import type { ToolCallInput } from "../pipeline/model/call.ts"
import type { ApproveOptions } from "../pipeline/model/event.ts"
import { messageOf } from "../pipeline/model/failure.ts"
import type { ToolOutput } from "../pipeline/model/output.ts"
import type { StoreDatabase } from "./database.ts"

/** What answers an effect. */
export type EffectAnswer = { readonly output?: string | ToolOutput } | { readonly error: string }

/** What a client may ask. Plain JSON. */
export type Request =
  | { readonly _tag: "Enqueue"; readonly calls: ReadonlyArray<ToolCallInput> }
  | { readonly _tag: "Approve"; readonly callId: string; readonly options?: ApproveOptions }
  | { readonly _tag: "Deny"; readonly callId: string; readonly reason?: string }
  | { readonly _tag: "Respond"; readonly callId: string; readonly answer: EffectAnswer }
  | { readonly _tag: "Cancel"; readonly callId: string; readonly reason?: string }

/** Whether it took effect, or why it could not. */
export type RequestAnswer = { readonly took: unknown } | { readonly error: string }

/** Puts a request; gives its number. */
export const putRequest = (database: StoreDatabase, request: Request): number => {
  let id = 0
  database.transaction(() => {
    const inserting = "INSERT INTO requests (request, at) VALUES (?, ?)"
    id = database.run(inserting, JSON.stringify(request), Date.now())
  })
  return id
}

/** The answer to a request; undefined as long as there is none. */
export const answerTo = (database: StoreDatabase, id: number): RequestAnswer | undefined => {
  const row = database.get("SELECT answer FROM requests WHERE id = ?", id)
  if (row?.answer === null || row?.answer === undefined) return undefined
  return JSON.parse(String(row.answer)) as RequestAnswer
}

/** What was asked. Throws for what is no request. */
export const readRequest = (text: string): Request => {
  try {
    const request = JSON.parse(text) as Request | null
    if (typeof request !== "object" || request === null) throw new TypeError("it is no object")
    return request
  } catch (error) {
    throw new Error(`This request cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** The requests behind this one that nobody has answered, in their order, as text: one that cannot be read holds up no other. */
export const openRequests = (
  database: StoreDatabase,
  after: number,
): Array<{ readonly id: number; readonly text: string }> =>
  database
    .all("SELECT id, request FROM requests WHERE answer IS NULL AND id > ? ORDER BY id", after)
    .map((row) => ({ id: Number(row.id), text: String(row.request) }))
