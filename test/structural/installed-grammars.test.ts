// @module-tag alone
import { describe, expect, it } from "vitest"
import { type GrammarPackages, Grammars } from "../../src/structural/installed-grammars.ts"
import { languageNamed } from "../../src/structural/language.ts"

const installed: GrammarPackages = {
  "@ast-grep/napi": () => import("@ast-grep/napi"),
  "@ast-grep/lang-python": () => import("@ast-grep/lang-python"),
  "@ast-grep/lang-rust": () => import("@ast-grep/lang-rust"),
  "@ast-grep/lang-go": () => import("@ast-grep/lang-go"),
}

/** As Node says it where a package is not there. */
const missing = (name: string) => async (): Promise<never> => {
  throw Object.assign(new Error(`Cannot find package '${name}' imported from grammar.js`), {
    code: "ERR_MODULE_NOT_FOUND",
  })
}

const language = (name: string) => languageNamed(name)!

describe("Grammars", () => {
  it("says what to install where ast-grep is missing, and finds it once it is installed", async () => {
    let isThere = false
    const napi = () => (isThere ? installed["@ast-grep/napi"]() : missing("@ast-grep/napi")())
    const grammars = new Grammars({ ...installed, "@ast-grep/napi": napi })
    await expect(grammars.of(language("ts"))).rejects.toThrow(
      "The package @ast-grep/napi is not installed. Install it: npm install @ast-grep/napi@0.51",
    )
    isThere = true
    expect((await grammars.of(language("ts"))).parseNow("a").kind()).toBe("program")
  })

  it("says what to install for a language, and knows the others all the same", async () => {
    const grammars = new Grammars({ ...installed, "@ast-grep/lang-rust": missing("@ast-grep/lang-rust") })
    await expect(grammars.of(language("rust"))).rejects.toThrow(
      "The package @ast-grep/lang-rust is not installed. Install it: npm install @ast-grep/lang-rust@0.0.7",
    )
    expect((await grammars.of(language("go"))).parseNow("package a\n").kind()).toBe("source_file")
    expect((await grammars.of(language("css"))).parseNow("").kind()).toBe("stylesheet")
  })

  it("tells why a package that is there cannot be loaded", async () => {
    const grammars = new Grammars({
      ...installed,
      "@ast-grep/lang-go": async () => ({
        default: {
          get libraryPath(): string {
            throw new Error("No parser found.")
          },
          extensions: [],
        },
      }),
    })
    await expect(grammars.of(language("go"))).rejects.toThrow(
      "The package @ast-grep/lang-go could not be loaded: No parser found.",
    )
  })
})
