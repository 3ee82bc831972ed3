/**
 * Stores the rules that a person's answers make, for later sessions: in the file of `--rules`, in that of a project that is
 * trusted until it changes, else in the user's own. A file shared by several folders states the folder of each rule.
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

/** A project whose code and rules the user trusts. */
export interface TrustedProject {
  /** Links resolved. */
  readonly folder: string
  readonly rules: ProjectRules | undefined
  /** Whether the answer is remembered. */
  readonly isKept: boolean
}

export interface KeptRulesOptions {
  /** The file of `--rules`, absolute. */
  readonly file?: string | undefined
  /** The executor's working directory. */
  readonly cwd: string
  /** If undefined, rules are read and kept only in `file`. */
  readonly home: string | undefined
  readonly project: TrustedProject | undefined
}

/** A file and its rules. */
export interface RuleFile {
  /** The name of the file in explanations. */
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

/** Reads a file; resolves with an empty text if it does not exist. */
const textAt = (path: string): Promise<string> => readTextFile(path, textOf)

/** Limits the rules to a folder, for a file that executors of other folders use too. */
const placedIn = (folder: string, config: ToolFilterConfig): ToolFilterConfig =>
  Object.fromEntries(
    Object.entries(config).map(([name, { allow = [] }]) => [
      name,
      { allow: allow.map((rule): AllowRule => ({ workingDir: ruleFolder(folder), ...asPlaced(rule) })) },
    ]),
  )

const asPlaced = (rule: AllowRule): Exclude<AllowRule, string> =>
  typeof rule === "string" ? { pattern: rule } : rule

/** Why the user's own file is ignored; undefined if it is used, or does not exist. */
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

/** Adds the new rules to a project's file, only if the present rules in it are trusted. */
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
  /** The file for new rules; undefined if they are not stored. */
  readonly path: string | undefined
  /** Problems with the files, for the user. */
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

  /** Rejects with a UsageError for a file that cannot be read: its deny rules would be lost. */
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
    // If the working directory contains the user's own file, new rules there would be ignored.
    const isOwnToKeep = problem === undefined && !resolve(own).startsWith(folder + sep)
    return new KeptRules(files, problems, isOwnToKeep ? shared(own) : undefined)
  }

  /** Stores rules. @param tell Called with the reason if they could not be stored. */
  add(added: ToolFilterConfig, tell: (problem: string) => void): void {
    const { path, save } = this
    if (save === undefined) return
    this.saved = this.saved
      .then(() => save(added))
      .catch((error) => tell(`the rule holds for this time, and is not kept in ${path}: ${messageOf(error)}`))
  }

  /** Resolves once all added rules are on the disk. */
  settled(): Promise<void> {
    return this.saved
  }
}
