/**
 * A script of calls: JSON lines, parsed and validated completely before anything runs. `#` starts a heading that is printed
 * above the next call, `//` a comment; empty lines are ignored.
 */

import type { ToolCallInput } from "../model/call.ts"
import type { FinalStatus } from "../model/event.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { UsageError } from "./usage-error.ts"

/** The expected end of a call. A call that completes must have the exit code 0 or none, or the given one. */
export type ExpectedEnd = FinalStatus | { readonly exitCode: number }

export interface ScriptCall {
  readonly _tag: "Call"
  /** Its id is from the script, else `line-` and the line number. */
  readonly call: ToolCallInput & { readonly callId: string }
  /** The expected end of the call. Default: complete, and a command with exit code 0. */
  readonly expect: ExpectedEnd
  readonly heading?: string
}

/** Later steps start only after the call with this id has ended, also in the background. */
interface ScriptWait {
  readonly _tag: "Wait"
  readonly callId: string
}

export type ScriptStep = ScriptCall | ScriptWait

const statuses: ReadonlyArray<FinalStatus> = ["complete", "error", "denied", "cancelled"]

type Check = readonly [holds: (value: unknown) => boolean, expected: string]

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""
const isOneOf = (values: ReadonlyArray<unknown>) => (value: unknown) => values.includes(value)

const isExitCode = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 1) return false
  return "exitCode" in value && Number.isInteger(value.exitCode)
}

const callKeys: Readonly<Record<string, Check>> = {
  name: [isText, "a tool's name"],
  params: [isPlainObject, "an object"],
  agentId: [isText, "a string that is not empty"],
  callId: [isText, "a string that is not empty"],
  decision: [isOneOf(["pending", "approve", "deny"]), '"pending", "approve" or "deny"'],
  background: [isOneOf([true, false]), "true or false"],
  expect: [
    (value) => isOneOf(statuses)(value) || isExitCode(value),
    '"complete", "error", "denied", "cancelled" or {"exitCode": N}',
  ],
}

const quoted = (keys: ReadonlyArray<string>): string => keys.map((key) => `\`${key}\``).join(", ")

const checkKeys = (value: object, checks: Readonly<Record<string, Check>>, where: string): void => {
  for (const [key, content] of Object.entries(value)) {
    if (!Object.hasOwn(checks, key)) {
      throw new UsageError(`${where}: unknown key \`${key}\`. A call has ${quoted(Object.keys(checks))}`)
    }
    const [holds, expected] = checks[key]!
    if (!holds(content)) {
      throw new UsageError(`${where}: expected \`${key}\` to be ${expected}, got ${JSON.stringify(content)}`)
    }
  }
}

const parseLine = (line: string, where: string): object => {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw new UsageError(`${where}: ${(error as Error).message}`)
  }
  if (isPlainObject(value)) return value
  throw new UsageError(`${where}: expected a JSON object, got ${line.slice(0, 40)}`)
}

const toCall = (value: object, line: number, where: string): ScriptCall => {
  checkKeys(value, callKeys, where)
  if (!("name" in value)) throw new UsageError(`${where}: expected \`name\`, the tool to call`)
  const {
    expect = "complete",
    callId = `line-${line}`,
    ...call
  } = value as ToolCallInput & { readonly expect?: ExpectedEnd }
  return { _tag: "Call", call: { ...call, callId }, expect }
}

/**
 * Throws a UsageError that names the first invalid line.
 *
 * @param name The file's name, for errors.
 */
export const parseScript = (text: string, name: string): Array<ScriptStep> => {
  const steps: Array<ScriptStep> = []
  const callIds = new Map<unknown, number>()
  let heading: string | undefined
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    const line = raw.trim()
    const where = `${name}, line ${index + 1}`
    if (line === "" || line.startsWith("//")) continue
    if (line.startsWith("#")) {
      const caption = line.replace(/^#+\s*/, "")
      heading = heading === undefined ? caption : `${heading}\n${caption}`
      continue
    }
    const value = parseLine(line, where)
    if ("wait" in value) {
      if (!callIds.has(value.wait) || Object.keys(value).length > 1) {
        throw new UsageError(`${where}: expected {"wait": "ID"} with the \`callId\` of a call above`)
      }
      steps.push({ _tag: "Wait", callId: value.wait as string })
      continue
    }
    const step = toCall(value, index + 1, where)
    const { callId } = step.call
    const earlier = callIds.get(callId)
    if (earlier !== undefined) {
      throw new UsageError(
        `${where}: the \`callId\` ${JSON.stringify(callId)} stands in line ${earlier} already`,
      )
    }
    callIds.set(callId, index + 1)
    steps.push(heading === undefined ? step : { ...step, heading })
    heading = undefined
  }
  return steps
}
