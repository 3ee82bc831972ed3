/**
 * The rules that a person's answers make, from one session to the next: in the file of `--rules`, in that of a project
 * that is trusted until it changes, else in the user's own. What several folders share names the folder of each rule.
 */
import { lstat, realpath } from "node:fs/promises"
import { join, resolve, sep } from "node:path"
import { readFault } from "../io/file-fault.ts"
import { ruleFolder } from "../policy/call-folder.ts"
import type { AllowRule, ToolFilterConfig } from "../policy/index.ts"
import { additionTo, appendRules, appendText, parseRules, textOf } from "../policy/rule-file.ts"
import { messageOf } from "../text/message-of.ts"
import { readTextFile } from "./text-file.ts"
import { type ProjectRules, rulesHash, rulesName } from "./trust/project-rules.ts"
import { TrustStore } from "./trust/trust-store.ts"
import { UsageError } from "./usage-error.ts"

/** A project whose user trusts what it brings. */
export interface TrustedProject {
  /** Links resolved. */
  readonly folder: string
  readonly rules: ProjectRules | undefined
  /** Whether the answer holds for later times. */
  readonly isKept: boolean
}

export interface KeptRulesOptions {
  /** The file of `--rules`, absolute. */
  readonly file?: string | undefined
  /** The folder of the executor. */
  readonly cwd: string
  /** Without one nothing is read or kept but in `file`. */
  readonly home: string | undefined
  readonly project: TrustedProject | undefined
}

/** A file and its rules. */
export interface RuleFile {
  /** What explanations call it. */
  readonly source: string
  readonly rules: ToolFilterConfig
}

type Save = (added: ToolFilterConfig) => Promise<void>

const readFile = async (source: string, path: string, text: string): Promise<RuleFile> => {
  try {
    return { source, rules: await parseRules(path, text) }
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}

/** Nothing, where there is no such file. */
const textAt = (path: string): Promise<string> => readTextFile(path, textOf)

/** The rules as they hold for executors of other folders too. */
const placedIn = (folder: string, config: ToolFilterConfig): ToolFilterConfig =>
  Object.fromEntries(
    Object.entries(config).map(([name, { allow = [] }]) => [
      name,
      { allow: allow.map((rule): AllowRule => ({ workingDir: ruleFolder(folder), ...asPlaced(rule) })) },
    ]),
  )

const asPlaced = (rule: AllowRule): Exclude<AllowRule, string> =>
  typeof rule === "string" ? { pattern: rule } : rule

/** Why the user's own file says nothing here; undefined where it does, or is not there. */
const distrust = async (path: string, folder: string): Promise<string | undefined> => {
  try {
    const { uid, mode } = await lstat(path)
    const real = await realpath(path)
    if (real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
      return `${path} lies in the very folder that the tools work in, and does not count. --rules ${path} says that it does.`
    }
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) {
      return `${path} may be written by other users, and does not count. Remove it.`
    }
    return undefined
  } catch (error) {
    return isMissing(error) ? undefined : `${path}: ${readFault(error)}`
  }
}

const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")

/** Adds to a project's file only what it was trusted with, and what its user says now. */
const saveInProject =
  (store: TrustStore, folder: string): Save =>
  (added) =>
    store.changeRules(folder, async (trusted) => {
      const path = join(folder, rulesName)
      const text = await textOf(path)
      const before = rulesHash(text)
      if (trusted === undefined || (text !== "" && !trusted.includes(before))) {
        throw new Error(`${path} has changed since it was trusted.`)
      }
      const addition = await additionTo(path, text, added)
      if (addition === "") return undefined
      return { before, after: rulesHash(text + addition), make: () => appendText(path, addition) }
    })

export class KeptRules {
  readonly files: ReadonlyArray<RuleFile>
  /** Where new rules go; undefined for nowhere. */
  readonly path: string | undefined
  /** What the user should know of the files. */
  readonly problems: ReadonlyArray<string>
  private readonly save: Save | undefined
  private saved: Promise<void> = Promise.resolve()

  private constructor(
    files: ReadonlyArray<RuleFile>,
    problems: ReadonlyArray<string>,
    target?: { readonly path: string; readonly save: Save },
  ) {
    this.files = files
    this.problems = problems
    this.path = target?.path
    this.save = target?.save
  }

  /** Throws a UsageError for a file that cannot be read: what it denies would not hold. */
  static async open({ file, cwd, home, project }: KeptRulesOptions): Promise<KeptRules> {
    const folder = await realpath(cwd)
    const shared = (path: string) => ({
      path,
      save: (added: ToolFilterConfig) => appendRules(path, placedIn(folder, added)),
    })
    if (file !== undefined) {
      return new KeptRules([await readFile(file, file, await textAt(file))], [], shared(file))
    }
    if (home === undefined) return new KeptRules([], [])
    const files: Array<RuleFile> = []
    const own = join(home, rulesName)
    const problem = await distrust(own, folder)
    if (problem === undefined) files.push(await readFile(own, own, await textAt(own)))
    if (project?.rules !== undefined) {
      const { path, text } = project.rules
      files.push(await readFile(path, path, text))
    }
    const problems = problem === undefined ? [] : [problem]
    if (project?.isKept === true) {
      const path = join(project.folder, rulesName)
      const save = saveInProject(new TrustStore(home), project.folder)
      return new KeptRules(files, problems, { path, save })
    }
    // In the home folder itself, what is kept there would not count.
    const isOwnToKeep = problem === undefined && !resolve(own).startsWith(folder + sep)
    return new KeptRules(files, problems, isOwnToKeep ? shared(own) : undefined)
  }

  /** Keeps rules from now on. @param tell Told why they could not be kept. */
  add(added: ToolFilterConfig, tell: (problem: string) => void): void {
    const { path, save } = this
    if (save === undefined) return
    this.saved = this.saved
      .then(() => save(added))
      .catch((error) => tell(`the rule holds for this time, and is not kept in ${path}: ${messageOf(error)}`))
  }

  /** Resolves once all that was added is on the disk. */
  settled(): Promise<void> {
    return this.saved
  }
}
