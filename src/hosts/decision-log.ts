/**
 * A file with a line of JSON for each decision. Each line has its own hash and that of the line before, so that every
 * change, removal or insertion is detected. A rewrite of the whole chain is detected by signatures, and lines cut off the
 * end only by comparing the last hash.
 */

import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { DecidedBy, Decision } from "../model/decision.ts"
import { expectOptions } from "../model/got.ts"
import { ToolFilters } from "../policy/filters.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { messageOf } from "../text/message-of.ts"
import { appending, readRegularSync } from "../text/regular-file.ts"
import { checkOf, type Signer, signerOf } from "./log-signature.ts"

/** One line of the log. */
export interface DecisionLine {
  /** ISO 8601. */
  readonly time: string
  readonly call: string
  /** For a nested call: its outer call. */
  readonly within?: string
  readonly agent: string
  readonly tool: string
  /** SHA-256 of the parameters as JSON with sorted keys. */
  readonly params: string
  readonly verdict: Decision["verdict"]
  /** Absent if nobody had to decide. */
  readonly by?: DecidedBy["kind"]
  /** The person whom the host named, if `by` is `user`. */
  readonly id?: string
  readonly rule?: string
  readonly source?: string
  /** The folder that the rule approved the call in, if the call names one. */
  readonly folder?: string
  /** The text that the rule matched. */
  readonly command?: string
  readonly reason?: string
  /** The hash of the line before; zeros in the first line. */
  readonly before: string
  /** SHA-256 of this line without this field and the next one. */
  readonly hash: string
  /** Ed25519, of `hash`, in base64; in a log with a key. */
  readonly signature?: string
}

/** Options of a log. */
export interface DecisionLogOptions {
  /** The file of a private Ed25519 key, as PEM, that signs each line. Default: lines are not signed. */
  readonly key?: string
}

/** Options of a check. */
export interface VerifyLogOptions {
  /** The file of the public key, as PEM. Default: signatures are not checked. */
  readonly key?: string
}

const zeros = "0".repeat(64)

/** Node's cryptography takes milliseconds to load, and most executors write no log. */
const sha256 = (text: string): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex")

const inOrder = (_key: string, value: unknown): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** The hash of parameters in the log. */
const hashOf = (params: unknown): string => {
  try {
    return sha256(JSON.stringify(params, inOrder) ?? "undefined")
  } catch {
    return sha256(String(params))
  }
}

/** Appends decisions to a file, which only one log may write at a time. */
export class DecisionLog {
  private readonly file: number
  private last: string
  private isOpen = true
  private readonly signer: Signer | undefined

  private constructor(file: number, last: string, signer: Signer | undefined) {
    this.file = file
    this.last = last
    this.signer = signer
  }

  /**
   * Continues a file; a missing one is created, readable only by its owner. Throws if the chain of the file is broken, or
   * its lines are not signed with the same key.
   */
  static open(path: string, options: DecisionLogOptions = {}): DecisionLog {
    expectOptions("DecisionLog.open", options, ["key"])
    const signer = options.key === undefined ? undefined : signerOf(options.key)
    mkdirSync(dirname(path), { recursive: true })
    const file = openSync(path, appending, 0o600)
    try {
      const text = readRegularSync(path, Number.POSITIVE_INFINITY).toString()
      const { lines, problems, last } = verified(text, signer?.check)
      if (problems.length > 0) throw new Error(`${path}: ${problems[0]} Move it away to begin another.`)
      if (signer === undefined && lines.some(({ signature }) => signature !== undefined))
        throw new Error(`${path}: its lines are signed. Give the key, or move it away to begin another.`)
      return new DecisionLog(file, last, signer)
    } catch (error) {
      closeSync(file)
      throw error
    }
  }

  /** Writes a decision synchronously: for `onDecision` of an executor. Throws if the decision cannot be written. */
  readonly add = ({ at, agentId, callId, parentId, name, params, verdict, by }: Decision): void => {
    if (!this.isOpen) throw new Error("The decision log is closed")
    const line: Omit<DecisionLine, "hash"> = {
      time: new Date(at).toISOString(),
      call: callId,
      ...(parentId !== undefined && { within: parentId }),
      agent: agentId,
      tool: name,
      params: hashOf(params),
      verdict,
      ...(by !== undefined && withoutKind(by)),
      before: this.last,
    }
    const hash = sha256(JSON.stringify(line))
    const { signer } = this
    const whole = { ...line, hash, ...(signer && { signature: signer.sign(hash) }) }
    this.write(Buffer.from(`${JSON.stringify(whole)}\n`))
    this.last = hash
  }

  private write(line: Uint8Array): void {
    let written = 0
    try {
      while (written < line.length) written += writeSync(this.file, line, written)
    } catch (error) {
      // A part of a line, as a full disk leaves it, would break the chain for all later ones.
      if (written > 0) ftruncateSync(this.file, fstatSync(this.file).size - written)
      throw error
    }
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    closeSync(this.file)
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

const withoutKind = ({ kind, ...rest }: DecidedBy) => ({ by: kind, ...rest })

/** The result of a check. */
export interface VerifiedLog {
  readonly lines: ReadonlyArray<DecisionLine>
  /** A sentence for each fault, with the number of the line. */
  readonly problems: ReadonlyArray<string>
  /** The hash of the last line. A copy kept elsewhere proves that nothing was cut off the end. */
  readonly last: string
}

/**
 * Checks the chain of a log's text, with a key also its signatures, and that each rule matches the text that it is recorded with. Throws
 * for a key that cannot be read.
 */
export const verifyDecisionLog = (text: string, options: VerifyLogOptions = {}): VerifiedLog => {
  expectOptions("verifyDecisionLog", options, ["key"])
  return verified(text, options.key === undefined ? undefined : checkOf(options.key))
}

const verified = (text: string, check: Signer["check"] | undefined): VerifiedLog => {
  const lines: Array<DecisionLine> = []
  const problems: Array<string> = []
  let last = zeros
  const rows = text.split("\n")
  const end = rows.pop()
  if (end !== "") problems.push("The last line is not whole.")
  for (const [index, row] of rows.entries()) {
    const where = `Line ${index + 1}`
    const line = readLine(row)
    if (line === undefined) {
      problems.push(`${where} is no decision.`)
      continue
    }
    const { hash, signature, ...rest } = line
    if (sha256(JSON.stringify(rest)) !== hash) problems.push(`${where} was changed after it was written.`)
    else if (line.before !== last) problems.push(`${where} does not follow the line before it.`)
    else if (check !== undefined && !check(hash, signature))
      problems.push(`${where} is not signed${signature === undefined ? "" : " with this key"}.`)
    const unlike = replayed(line)
    if (unlike !== undefined) problems.push(`${where}: ${unlike}`)
    last = hash
    lines.push(line)
  }
  return { lines, problems, last }
}

const readLine = (row: string): DecisionLine | undefined => {
  try {
    const line = JSON.parse(row) as DecisionLine
    return typeof line.hash === "string" && typeof line.before === "string" ? line : undefined
  } catch {
    return undefined
  }
}

/** A tool for the replay: whatever tool the rule was for, it matched a text. */
const said = { name: "said", primaryParam: "command", primaryKind: "text" } as const

/** Matches a recorded rule again; returns a sentence if it does not match. */
const replayed = ({ by, rule, command }: DecisionLine): string | undefined => {
  if (by !== "rule" || typeof rule !== "string" || typeof command !== "string") return undefined
  try {
    const rules = ToolFilters.compile({ [said.name]: { allow: [rule] } })
    if (rules.evaluate(said, { command }) === "approve") return undefined
    return `The rule \`${rule}\` does not match \`${command}\`.`
  } catch (error) {
    return `The rule \`${rule}\` cannot be replayed: ${messageOf(error)}`
  }
}
