/** Checks the snapshots that are read: a host or a store may pass any value. */

import { toOutput } from "../output/output.ts"
import type { StateOf } from "../pipeline/call/state.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { type CallSnapshot, type StagedSnapshot, snapshotVersion } from "./snapshot.ts"
import { type FirstSnapshot, fromFirst } from "./snapshot-v1.ts"

/** A snapshot of any readable version, as one of this version. Its parts are not checked. */
export const current = (snapshot: CallSnapshot | FirstSnapshot): CallSnapshot =>
  snapshot.version === 1 ? fromFirst(snapshot) : snapshot

/** Checks a snapshot. Throws a TypeError for a value that is not a snapshot, and an Error for another version. */
export const readSnapshot = (value: unknown): CallSnapshot => {
  const given = value as CallSnapshot | FirstSnapshot
  if (!isPlainObject(value) || !isPlainObject(given.call)) throw notASnapshot()
  if (given.version !== 1 && given.version !== snapshotVersion) {
    throw new Error(
      `This snapshot has version ${String((value as { version: unknown }).version)}, and versions 1 and ${snapshotVersion} are read: use the stepline that wrote it`,
    )
  }
  const snapshot = current(given)
  if (!isPlainObject(snapshot.state) || !isWhole(snapshot)) throw notASnapshot()
  return snapshot
}

const notASnapshot = () => new TypeError("Expected what `snapshot` gave: this is no snapshot of a call")

const isWhole = (snapshot: CallSnapshot): boolean => {
  const { state, shape } = snapshot
  switch (state._tag) {
    case "Staged":
      return isStaged(snapshot.action)
    case "Queued":
      return hasData(snapshot)
    case "Running":
      return hasData(snapshot) && typeof shape === "string"
    case "Asking":
      return hasData(snapshot) && typeof shape === "string" && isQuestion(state.question)
    case "Cleaning":
      return hasData(snapshot) && isIndex(state.part) && isThen(state.then)
    default:
      return false
  }
}

const isVersion = (version: unknown): boolean => version === undefined || typeof version === "string"

const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

const isOutput = (output: unknown): boolean =>
  output === undefined || (isPlainObject(output) && toOutput(output) !== undefined)

const isQuestion = (question: StateOf<"Asking">["question"]): boolean =>
  isPlainObject(question) &&
  (question.kind === "approval" || (question.kind === "delegate" && isPlainObject(question.effect)))

const isThen = (then: StateOf<"Cleaning">["then"]): boolean =>
  isPlainObject(then) && (then._tag === "Restart" || (then._tag === "End" && isPlainObject(then.outcome)))

const isStaged = (staged: StagedSnapshot | undefined): boolean =>
  isPlainObject(staged) &&
  typeof staged.actionId === "string" &&
  typeof staged.label === "string" &&
  typeof staged.sourceToolName === "string" &&
  isPlainObject(staged.source) &&
  isPlainObject(staged.staging) &&
  isPlainObject(staged.staging.call) &&
  isIndex(staged.staging.at) &&
  isVersion(staged.toolVersion) &&
  isOutput(staged.output)

const hasData = (snapshot: CallSnapshot): boolean => {
  const {
    at = 0,
    attempts = 0,
    asked = 0,
    passed = 0,
    decided = 0,
    output,
    cleanupErrors = [],
    action,
  } = snapshot
  return (
    [at, attempts, asked, passed, decided].every(isIndex) &&
    isVersion(snapshot.toolVersion) &&
    isOutput(output) &&
    Array.isArray(cleanupErrors) &&
    (action === undefined || isStaged(action))
  )
}
