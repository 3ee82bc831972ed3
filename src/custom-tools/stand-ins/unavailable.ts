/** Stand-ins for exports that need a missing screen, model or session: a module that imports one loads, and using it throws. */

/** A stand-in that can be called, constructed, extended, and read for static members; each except extending throws `sentence`. */
const standFor = (name: string, sentence: (use: string) => string): unknown => {
  const fail = (use: string): never => {
    throw new Error(sentence(use))
  }
  return new Proxy(class {}, {
    apply: () => fail(`${name}()`),
    construct: () => fail(`${name}()`),
    get: (target, key) => {
      // Names that the language and promises look up must be missing.
      if (typeof key === "symbol" || key === "then" || key in target) return Reflect.get(target, key)
      return fail(`${name}.${key}`)
    },
  })
}

/** How to get the real package: newer ones of pi need a newer Node, and oh-my-pi's are written for Bun. */
export const installing = (packageName: string, nodeVersion: string = process.versions.node): string => {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number)
  const isNew = major > 22 || (major === 22 && minor >= 19)
  if (packageName.startsWith("@oh-my-pi/")) {
    return `${packageName} runs in Bun alone, so only oh-my-pi itself can give it`
  }
  if (packageName.startsWith("@earendil-works/") && !isNew) {
    return `install ${packageName}@0.74 beside the tool, or run on Node 22.19, which later versions of it need`
  }
  return `install ${packageName} beside the tool`
}

/** Makes a stand-in. `needs`: the end of a sentence, such as `a model provider`. */
export const unavailable = (name: string, needs: string, packageName: string): unknown =>
  standFor(name, (use) => `${use} needs ${needs}; ${installing(packageName)}.`)

/** A stand-in for a part of the terminal library, if that is not installed. */
export const needsTerminalLibrary = (name: string): unknown =>
  standFor(
    name,
    (use) => `${use} needs pi's library for terminals; install @mariozechner/pi-tui beside stepline.`,
  )
