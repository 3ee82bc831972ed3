/** Signatures of the lines of a decision log: Ed25519, with keys in PEM files. */
import type { KeyObject } from "node:crypto"
import { messageOf } from "../text/message-of.ts"
import { readRegularSync } from "../text/regular-file.ts"

/** A key file has a few hundred bytes. */
const maxKeyBytes = 65_536

/** Node's cryptography takes milliseconds to load, and most executors write no log. */
const cryptography = () => process.getBuiltinModule("node:crypto")

const readKey = (path: string): Buffer => {
  try {
    return readRegularSync(path, maxKeyBytes)
  } catch (error) {
    throw new Error(`The key ${path} cannot be read: ${messageOf(error)}`)
  }
}

const keyIn = (path: string, kind: "private" | "public", read: (pem: Buffer) => KeyObject): KeyObject => {
  const pem = readKey(path)
  let key: KeyObject | undefined
  try {
    key = read(pem)
  } catch {}
  if (key?.asymmetricKeyType === "ed25519") return key
  const make =
    kind === "private"
      ? `openssl genpkey -algorithm ed25519 -out ${path}`
      : `openssl pkey -in PRIVATE.pem -pubout -out ${path}`
  throw new Error(`${path} holds no ${kind} Ed25519 key as PEM, without a passphrase. Make one: ${make}`)
}

/** Signs texts, and checks signatures of its own. */
export interface Signer {
  /** The signature in base64. */
  sign(text: string): string
  check(text: string, signature: unknown): boolean
}

const checking =
  (key: KeyObject) =>
  (text: string, signature: unknown): boolean =>
    typeof signature === "string" &&
    cryptography().verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"))

/** Returns the signer for a private key file. Throws for a file without one; the message is a sentence. */
export const signerOf = (path: string): Signer => {
  const { createPrivateKey, createPublicKey, sign } = cryptography()
  const key = keyIn(path, "private", createPrivateKey)
  return {
    sign: (text) => sign(null, Buffer.from(text), key).toString("base64"),
    check: checking(createPublicKey(key)),
  }
}

/** Returns the check for a public key file. Throws for a file without one; the message is a sentence. */
export const checkOf = (path: string): Signer["check"] =>
  checking(keyIn(path, "public", (pem) => cryptography().createPublicKey(pem)))
