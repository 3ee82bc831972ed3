/** The rules of `.gitignore` files, from a repository's root down to the folder that is walked. */
import { dirname, join, relative, sep } from "node:path"
import type { Ignore } from "ignore"
import type { Files } from "./files.ts"

const ignoreFile = ".gitignore"

/** Escapes the characters of a folder's name that have a meaning in a rule. */
const escaped = (folder: string): string => folder.replace(/[\\*?[\]!#\s]/g, "\\$&")

/** Rewrites a rule of a folder for the root's file. */
const fromRoot = (rule: string, folder: string): string => {
  if (folder === "" || /^\s*(?:#|$)/.test(rule)) return rule
  const [, not = "", pattern = ""] = /^(!?)(.*)$/.exec(rule)!
  const isAnchored = /\/(?!\s*$)/.test(pattern)
  return `${not}/${escaped(folder)}/${isAnchored ? pattern.replace(/^\//, "") : `**/${pattern}`}`
}

/** Maximum size of a file with rules; a larger one is ignored. */
const maxRuleBytes = 10_000_000

const textOf = async (files: Files, path: string): Promise<string | undefined> => {
  const info = await files.stat(path)
  if (info?.kind !== "file" || info.size > maxRuleBytes) return undefined
  return Buffer.from(await files.read(path, maxRuleBytes)).toString()
}

/** The rules that apply inside one folder. */
export class IgnoreRules {
  private readonly files: Files
  private readonly root: string
  private readonly make: () => Ignore
  private readonly rules: Ignore

  private constructor(files: Files, root: string, make: () => Ignore, rules: Ignore) {
    this.files = files
    this.root = root
    this.make = make
    this.rules = rules
  }

  /**
   * The rules for a walk that starts at a folder: those of all folders from the repository's root, or from `top` if there is
   * no repository. If they ignore the start folder itself, only its own rules apply.
   */
  static async startingAt(files: Files, folder: string, top: string): Promise<IgnoreRules> {
    const { default: ignore } = await import("ignore")
    const make = () => ignore({ ignorecase: false })
    const root = await repositoryOf(files, folder, top)
    // `.git` can lie behind a link, whereas git does not read a `.gitignore` through one.
    const exclude = await files.resolveLinks(join(root, ".git", "info", "exclude"))
    let rules = await new IgnoreRules(files, root, make, make()).withRules(exclude, "")
    const way = relative(root, folder)
      .split(sep)
      .filter((part) => part !== "")
    for (let depth = 0; depth < way.length; depth++) {
      rules = await rules.within(join(root, ...way.slice(0, depth)))
      if (rules.ignores(join(root, ...way.slice(0, depth + 1)), true)) {
        return new IgnoreRules(files, folder, make, make())
      }
    }
    return rules
  }

  /** Adds the rules of a folder inside. */
  within(folder: string): Promise<IgnoreRules> {
    return this.withRules(join(folder, ignoreFile), this.fromRoot(folder))
  }

  ignores(path: string, isFolder: boolean): boolean {
    return this.rules.ignores(isFolder ? `${this.fromRoot(path)}/` : this.fromRoot(path))
  }

  private async withRules(path: string, folder: string): Promise<IgnoreRules> {
    const text = await textOf(this.files, path)
    if (text === undefined) return this
    const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
    const rules = this.make()
      .add(this.rules)
      .add(lines.map((rule) => fromRoot(rule, folder)))
    return new IgnoreRules(this.files, this.root, this.make, rules)
  }

  private fromRoot(path: string): string {
    return relative(this.root, path).split(sep).join("/")
  }
}

/** The nearest repository from `folder` up; else `top`, if it is above `folder`, or `folder`. */
const repositoryOf = async (files: Files, folder: string, top: string): Promise<string> => {
  for (let at = folder; ; at = dirname(at)) {
    if ((await files.stat(join(at, ".git"))) !== undefined) return at
    if (at === dirname(at)) break
  }
  const way = relative(top, folder)
  return way === ".." || way.startsWith(`..${sep}`) || way.startsWith(sep) ? folder : top
}
