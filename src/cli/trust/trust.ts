/**
 * Whether the tools and extensions of the folder that a command works in are loaded: entering a folder runs nothing of
 * it. Yes by `--trust`, by a remembered answer for the very same code, or by the user's answer now; else no, and a line
 * on stderr says what was left out.
 */
import { messageOf } from "../../pipeline/model/failure.ts"
import { askTrust, canAsk, namesOf } from "./ask-trust.ts"
import type { ProjectCode } from "./project-code.ts"
import { type KnownTrust, TrustStore } from "./trust-store.ts"

export interface TrustOptions {
  /** Loads it for this time, whatever was answered before. */
  readonly trust?: boolean
  /** Whether stdin is the user's to answer on. Default true. */
  readonly mayAsk?: boolean
}

const tell = (sentence: string): void => {
  process.stderr.write(`stepline: ${sentence}\n`)
}

const reasons = {
  no: "you answered not to load it",
  changed: "it has changed since it was trusted",
  unknown: "nobody has trusted it",
} as const

const leaveOut = (code: ProjectCode, cwd: string, reason: keyof typeof reasons): false => {
  const names = namesOf(code, cwd).join(", ")
  tell(
    `left out what this folder would run, because ${reasons[reason]}: ${names}. --trust loads it this time.`,
  )
  return false
}

/** What the store says, or nothing where it cannot be believed. */
const recall = async (store: TrustStore, { folder, hash }: ProjectCode): Promise<KnownTrust> => {
  if (hash === undefined) return undefined
  try {
    return await store.get(folder, hash)
  } catch (error) {
    tell(messageOf(error))
    return undefined
  }
}

export const isTrusted = async (
  code: ProjectCode,
  cwd: string,
  home: string,
  { trust, mayAsk = true }: TrustOptions,
): Promise<boolean> => {
  if (trust === true) return true
  const store = new TrustStore(home)
  const known = await recall(store, code)
  if (known === "yes") return true
  if (known === "no") return leaveOut(code, cwd, "no")
  if (!mayAsk || !canAsk()) return leaveOut(code, cwd, known ?? "unknown")
  const answer = await askTrust(code, cwd, known === "changed")
  if (answer !== undefined && code.hash !== undefined) {
    await store
      .set(code.folder, code.hash, answer)
      .catch((error) => tell(`the answer is not remembered: ${messageOf(error)}`))
  }
  return answer === "yes" || leaveOut(code, cwd, answer ?? known ?? "unknown")
}
