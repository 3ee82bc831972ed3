/**
 * Parameters that clients repeat as HTTP headers (`x-mcp-header` in a tool's schema), so that proxies need not read the
 * body. A call whose headers differ from its parameters is refused: otherwise a proxy would approve a different call than
 * the one that runs.
 */

import type { JsonSchema } from "../../schema/json-schema.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { rejection } from "./rejection.ts"

interface ParamHeader {
  readonly path: ReadonlyArray<string>
  readonly header: string
}

/** A header, and the value in the call. */
export interface HeaderMismatch {
  readonly header: string
  readonly body: string
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (isPlainObject(value) ? value : {})

/** The headers that a schema names, at any depth of objects. */
const paramHeaders = (schema: unknown, path: ReadonlyArray<string> = []): Array<ParamHeader> => {
  const { "x-mcp-header": name, properties } = fieldsOf(schema)
  const own = typeof name === "string" ? [{ path, header: `Mcp-Param-${name}` }] : []
  const inner = Object.entries(fieldsOf(properties)).flatMap(([key, child]) =>
    paramHeaders(child, [...path, key]),
  )
  return [...own, ...inner]
}

const isEncoded = /^=\?base64\?(.*)\?=$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const decimal = /^-?\d+(?:\.\d+)?$/

/** The value of a header; undefined if it cannot be read. */
const decoded = (value: string): string | undefined => {
  const [, encoded] = isEncoded.exec(value) ?? []
  if (encoded === undefined) return value
  if (!base64.test(encoded)) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64"))
  } catch {
    return undefined
  }
}

const isSaid = (said: string, value: string | number | boolean): boolean =>
  said === String(value) || (typeof value === "number" && decimal.test(said) && Number(said) === value)

/** The first header that differs from the call. A parameter that is missing, or not a primitive, needs no header. */
export const headerMismatch = (
  schema: JsonSchema,
  params: unknown,
  headers: Headers,
): HeaderMismatch | undefined => {
  for (const { path, header } of paramHeaders(schema)) {
    const value = path.reduce<unknown>((from, key) => fieldsOf(from)[key], params)
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue
    const given = headers.get(header)
    const said = given === null ? undefined : decoded(given)
    if (said === undefined || !isSaid(said, value)) {
      return { header, body: `${path.join(".")}=${JSON.stringify(value)}` }
    }
  }
  return undefined
}

/** The response to a call with such a mismatch. `body`: the request's content. */
export const refuseMismatch = (
  { headers }: Request,
  body: unknown,
  schemaOf: (tool: string) => JsonSchema | undefined,
): Response | undefined => {
  // The SDK compares these two headers with the body.
  if (headers.get("mcp-method") !== "tools/call") return undefined
  const schema = schemaOf(decoded(headers.get("mcp-name") ?? "") ?? "")
  if (schema === undefined) return undefined
  const { id = null, params } = fieldsOf(body)
  const mismatch = headerMismatch(schema, fieldsOf(params).arguments, headers)
  if (mismatch === undefined) return undefined
  const { header, body: said } = mismatch
  const message = `The header ${header} is missing, or does not say what the call does: ${said}`
  return rejection(400, headerMismatchCode, message, { id, data: { mismatch } })
}

/** The protocol's code for a mismatch. */
const headerMismatchCode = -32_020
