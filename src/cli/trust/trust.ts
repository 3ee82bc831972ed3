/**
 * Decides whether the tools, extensions and rules of a command's folder are loaded: entering a folder must not run its code,
 * or anything by its rules. Yes with `--trust`, with a remembered answer for exactly the same code, or with the user's
 * answer now; else no, and a line on stderr names what was skipped.
 */
import { messageOf } from "../../text/message-of.ts"
import { askTrust, canAsk, namesOf } from "./ask-trust.ts"
import type { ProjectCode } from "./project-code.ts"
import { type KnownTrust, type TrustAnswer, TrustStore } from "./trust-store.ts"

export interface TrustOptions {
  /** Trusts the folder this time, whatever was answered before. */
  readonly trust?: boolean
  /** Whether the user can answer on stdin. Default true. */
  readonly mayAsk?: boolean
}

const tell = (sentence: string): void => {
  process.stderr.write(`stepline: ${sentence}\n`)
}

const reasons = {
  no: "you answered not to load it",
  changed: "it has changed since it was trusted",
  unknown: "nobody has trusted it",
  meanwhile: "it has changed while you were asked",
} as const

const leaveOut = (code: ProjectCode, cwd: string, reason: keyof typeof reasons): false => {
  const names = namesOf(code, cwd).join(", ")
  const what = code.modules.length > 0 ? "what this folder would run" : "the rules of this folder"
  tell(`left out ${what}, because ${reasons[reason]}: ${names}. --trust loads it this time.`)
  return false
}

/** The stored answer, or undefined if the store cannot be trusted. */
const recall = async (store: TrustStore, { folder, hash, rules }: ProjectCode): Promise<KnownTrust> => {
  if (hash === undefined) return undefined
  try {
    return await store.get(folder, { hash, rules: rules?.hash })
  } catch (error) {
    tell(messageOf(error))
    return undefined
  }
}

const isSame = (code: ProjectCode, now: ProjectCode | undefined): boolean =>
  now !== undefined && now.hash === code.hash && now.rules?.hash === code.rules?.hash

/** Whether a folder is trusted: `kept` until it changes, `once` for this time only. */
export type Trust = "kept" | "once" | false

/** @param look Reads the folder again. */
export const trustOf = async (
  code: ProjectCode,
  cwd: string,
  home: string,
  { trust, mayAsk = true }: TrustOptions,
  look: () => Promise<ProjectCode | undefined>,
): Promise<Trust> => {
  if (trust === true) return "once"
  const store = new TrustStore(home)
  const known = await recall(store, code)
  if (known === "yes") return "kept"
  if (known === "no") return leaveOut(code, cwd, "no")
  if (!mayAsk || !canAsk()) return leaveOut(code, cwd, known ?? "unknown")
  const answer = await askTrust(code, cwd, known === "changed")
  if (answer === "yes" && !isSame(code, await look())) return leaveOut(code, cwd, "meanwhile")
  const isKept = answer !== undefined && (await keep(store, code, answer))
  if (answer === "yes") return isKept ? "kept" : "once"
  return leaveOut(code, cwd, answer ?? known ?? "unknown")
}

/** Stores an answer. Returns whether it is remembered. */
const keep = async (
  store: TrustStore,
  { folder, hash, rules }: ProjectCode,
  answer: TrustAnswer,
): Promise<boolean> => {
  if (hash === undefined) return false
  try {
    await store.set(folder, { hash, rules: rules?.hash }, answer)
    return true
  } catch (error) {
    tell(`the answer is not remembered: ${messageOf(error)}`)
    return false
  }
}
