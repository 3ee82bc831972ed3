/**
 * Which of a host's environment variables its commands get. Variables that look like secrets are withheld unless they are
 * named, since the output of a command goes to a model.
 */

/** Which of the host's variables commands get, and which are added. */
export interface EnvironmentRules {
  /**
   * Names to pass; `*` matches any characters. A name that looks like a secret passes only if it is listed in full. Default
   * `["*"]`: all except what looks like a secret.
   */
  readonly pass?: ReadonlyArray<string>
  /** Variables to set, overriding the host's; undefined removes a variable. */
  readonly set?: Readonly<Record<string, string | undefined>>
}

/** Whole words of a name: `MONKEY` is not a key, and neither `SSH_AUTH_SOCK` nor `MAX_TOKENS` is a secret. */
const secretWord = /(^|_)(KEYS?|TOKEN|JWT|WEBHOOK|CONNECTION_STRING|IDENTITY_HEADER|AUTH_CONFIG)(_|$)/
/** The last word of a name. `PWD` alone is a folder. */
const secretEnd = /(^|_)(PASS|AUTH|PAT|CREDS|COOKIE|DSN)$|_PWD$/
/** Anywhere in a name. */
const secretPart = /SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE)KEY|(AUTH|ACCESS)TOKEN/

/** Whether a variable's name suggests a key, a token, a password or a credential. */
export const looksSecret = (name: string): boolean => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase()
  return secretWord.test(words) || secretEnd.test(words) || secretPart.test(words)
}

const patternOf = (entry: string): RegExp => {
  const parts = entry.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
  return new RegExp(`^${parts.join(".*")}$`, "s")
}

const allNames: ReadonlyArray<string> = ["*"]

/** Decides which names a list passes. A host has the same few dozen names for each command, so decisions are cached. */
class PassList {
  private readonly named: ReadonlySet<string>
  private readonly patterns: ReadonlyArray<RegExp>
  private readonly decided = new Map<string, boolean>()

  constructor(pass: ReadonlyArray<string>) {
    this.named = new Set(pass)
    this.patterns = pass.filter((entry) => entry.includes("*")).map(patternOf)
  }

  passes(name: string): boolean {
    let passes = this.decided.get(name)
    if (passes !== undefined) return passes
    passes =
      this.named.has(name) || (!looksSecret(name) && this.patterns.some((pattern) => pattern.test(name)))
    if (this.decided.size >= maxDecided) this.decided.clear()
    this.decided.set(name, passes)
    return passes
  }
}

const maxDecided = 10_000
const passLists = new WeakMap<ReadonlyArray<string>, PassList>()

const passListOf = (pass: ReadonlyArray<string>): PassList => {
  let list = passLists.get(pass)
  if (list === undefined) {
    list = new PassList(pass)
    passLists.set(pass, list)
  }
  return list
}

/** The environment of a command: a new object. A list of `pass` is read once, and must not change. */
export const environmentFor = (
  { pass = allNames, set }: EnvironmentRules = {},
  host: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv => {
  const list = passListOf(pass)
  const env: NodeJS.ProcessEnv = {}
  for (const name of Object.keys(host)) if (list.passes(name)) env[name] = host[name]
  for (const [name, value] of Object.entries(set ?? {})) {
    if (value === undefined) delete env[name]
    else env[name] = value
  }
  return env
}

/** Describes the environment for a model, in a sentence. */
export const describeEnvironment = ({ pass = allNames, set = {} }: EnvironmentRules = {}): string => {
  const names = [...pass.filter((name) => name !== "*"), ...Object.keys(set)]
  if (!pass.includes("*")) {
    return `Of environment variables it has only these: ${names.join(", ") || "none"}.`
  }
  const secrets = names.filter(looksSecret)
  const but = secrets.length === 0 ? "" : `, but for ${secrets.join(", ")}`
  return `Environment variables that look like secrets (*_TOKEN, *_KEY, *PASSWORD*, …) are left out of its environment${but}.`
}
