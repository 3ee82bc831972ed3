/**
 * Which of a host's environment variables its commands get. What looks like a secret stays behind unless it is named,
 * since whatever a command prints goes to a model.
 */

export interface EnvironmentRules {
  /**
   * Names to pass; `*` stands for any characters. A name that looks like a secret passes only where it is named in
   * full. Default `["*"]`: all but what looks like a secret.
   */
  readonly pass?: ReadonlyArray<string>
  /** Set whatever the host has; undefined leaves a variable out. */
  readonly set?: Readonly<Record<string, string | undefined>>
}

/** As words of a name: `MONKEY` is no key, and neither `SSH_AUTH_SOCK` nor `MAX_TOKENS` is a secret. */
const secretWord = /(^|_)(KEYS?|TOKEN|JWT|WEBHOOK|CONNECTION_STRING|IDENTITY_HEADER|AUTH_CONFIG)(_|$)/
/** As the last word of a name. `PWD` alone is a folder. */
const secretEnd = /(^|_)(PASS|AUTH|PAT|CREDS|COOKIE|DSN)$|_PWD$/
/** Wherever it stands in a name. */
const secretPart = /SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE)KEY|(AUTH|ACCESS)TOKEN/

/** Whether a variable's name says that it holds a key, a token, a password or a credential. */
export const looksSecret = (name: string): boolean => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase()
  return secretWord.test(words) || secretEnd.test(words) || secretPart.test(words)
}

/** A host has the same few dozen names at each call. */
const known = new Map<string, boolean>()
const maxKnown = 10_000

const isSecret = (name: string): boolean => {
  const seen = known.get(name)
  if (seen !== undefined) return seen
  if (known.size >= maxKnown) known.clear()
  const secret = looksSecret(name)
  known.set(name, secret)
  return secret
}

const patternOf = (entry: string): RegExp => {
  const parts = entry.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
  return new RegExp(`^${parts.join(".*")}$`, "s")
}

/** The environment of a command. */
export const environmentFor = (
  { pass = ["*"], set = {} }: EnvironmentRules = {},
  host: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv => {
  const named = new Set(pass)
  const patterns = pass.filter((entry) => entry.includes("*")).map(patternOf)
  const passesAll = named.has("*")
  const env: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(host)) {
    const passes =
      named.has(name) || (!isSecret(name) && (passesAll || patterns.some((pattern) => pattern.test(name))))
    if (passes) env[name] = value
  }
  Object.assign(env, set)
  for (const [name, value] of Object.entries(set)) if (value === undefined) delete env[name]
  return env
}

/** What a model should know of it, as a sentence. */
export const describeEnvironment = ({ pass = ["*"], set = {} }: EnvironmentRules = {}): string => {
  const names = [...pass.filter((name) => name !== "*"), ...Object.keys(set)]
  if (!pass.includes("*")) {
    return `Of environment variables it has only these: ${names.join(", ") || "none"}.`
  }
  const secrets = names.filter(looksSecret)
  const but = secrets.length === 0 ? "" : `, but for ${secrets.join(", ")}`
  return `Environment variables that look like secrets (*_TOKEN, *_KEY, *PASSWORD*, …) are left out of its environment${but}.`
}
