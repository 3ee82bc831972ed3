/**
 * Parses source text with the optional packages of ast-grep, which are loaded when the first file needs them. ast-grep
 * accepts one registration of grammars per process, so all of them are registered together.
 */
import { importBeside } from "../io/beside.ts"
import { isMissingModule, notInstalled } from "../io/missing-module.ts"
import type { Grammar, GrammarSource, SyntaxNode } from "./grammar.ts"
import { type Language, type LanguagePackage, languages } from "./language.ts"
import { StructuralError } from "./structural-error.ts"

type Napi = typeof import("@ast-grep/napi")
type Registrations = Parameters<Napi["registerDynamicLanguage"]>[0]
type Registration = Registrations[string]

/** Imports of the optional packages. */
export type GrammarPackages = { readonly "@ast-grep/napi": () => Promise<Napi> } & {
  readonly [Name in LanguagePackage]: () => Promise<{ readonly default: Registration }>
}

const installedPackages: GrammarPackages = {
  "@ast-grep/napi": () => importBeside("@ast-grep/napi"),
  "@ast-grep/lang-python": () => importBeside("@ast-grep/lang-python"),
  "@ast-grep/lang-rust": () => importBeside("@ast-grep/lang-rust"),
  "@ast-grep/lang-go": () => importBeside("@ast-grep/lang-go"),
}

/** The versions to install; these were tested. */
const versions: Readonly<Record<keyof GrammarPackages, string>> = {
  "@ast-grep/napi": "0.51",
  "@ast-grep/lang-python": "0.0.6",
  "@ast-grep/lang-rust": "0.0.7",
  "@ast-grep/lang-go": "0.0.6",
}

const loadFailure = (name: keyof GrammarPackages, cause: unknown): StructuralError => {
  const { message } = cause as Error
  const missing = isMissingModule(cause) && message.includes(name)
  return new StructuralError(
    missing ? notInstalled(name, versions[name]) : `The package ${name} could not be loaded: ${message}`,
    { cause },
  )
}

/** The grammars of the installed packages. */
export class Grammars implements GrammarSource {
  private readonly packages: GrammarPackages
  private napi: Promise<Napi> | undefined
  /** Resolves once the available grammars are registered, with the errors of the others. */
  private registered: Promise<ReadonlyMap<LanguagePackage, unknown>> | undefined

  constructor(packages: GrammarPackages = installedPackages) {
    this.packages = packages
  }

  async of(language: Language): Promise<Grammar> {
    const napi = await this.loadNapi()
    if (language.package !== undefined) await this.expectRegistered(napi, language, language.package)
    const { grammar } = language
    return {
      language,
      // Kinds are names here; the numbers in ast-grep's types are for other methods.
      parse: async (text) => (await napi.parseAsync(grammar, text)).root() as SyntaxNode,
      parseNow: (text) => napi.parse(grammar, text).root() as SyntaxNode,
    }
  }

  private async loadNapi(): Promise<Napi> {
    this.napi ??= this.packages["@ast-grep/napi"]()
    try {
      return await this.napi
    } catch (cause) {
      // The package can be installed meanwhile.
      this.napi = undefined
      throw loadFailure("@ast-grep/napi", cause)
    }
  }

  private async expectRegistered(napi: Napi, language: Language, name: LanguagePackage): Promise<void> {
    this.registered ??= this.register(napi)
    const failures = await this.registered
    if (failures.has(name)) throw loadFailure(name, failures.get(name))
    try {
      napi.parse(language.grammar, "")
    } catch (cause) {
      throw new StructuralError(
        `The grammar of ${language.name} is not available: this process registered other grammars with @ast-grep/napi before, which takes one registration only.`,
        { cause },
      )
    }
  }

  private async register(napi: Napi): Promise<ReadonlyMap<LanguagePackage, unknown>> {
    const failures = new Map<LanguagePackage, unknown>()
    const registrations: Record<string, Registration> = {}
    for (const { grammar, package: name } of languages) {
      if (name === undefined) continue
      try {
        const { default: registration } = await this.packages[name]()
        // Reading the path throws if the package has no build for this machine.
        if (registration.libraryPath !== "") registrations[grammar] = registration
      } catch (cause) {
        failures.set(name, cause)
      }
    }
    try {
      if (Object.keys(registrations).length > 0) napi.registerDynamicLanguage(registrations)
    } catch (cause) {
      for (const { package: name } of languages) if (name !== undefined) failures.set(name, cause)
    }
    return failures
  }
}

/** The grammars installed beside this library. */
export const installedGrammars: GrammarSource = new Grammars()
