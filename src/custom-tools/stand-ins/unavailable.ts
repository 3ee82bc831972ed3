/** Stands for what needs a screen, a model or a session that is not here: a module that names it loads, and whoever uses it is told. */

/** May be called, constructed, extended and asked for static members; each but the extending throws `sentence`. */
const standFor = (name: string, sentence: (use: string) => string): unknown => {
  const fail = (use: string): never => {
    throw new Error(sentence(use))
  }
  return new Proxy(class {}, {
    apply: () => fail(`${name}()`),
    construct: () => fail(`${name}()`),
    get: (target, key) => {
      // What the language and promises look for has to be found missing.
      if (typeof key === "symbol" || key === "then" || key in target) return Reflect.get(target, key)
      return fail(`${name}.${key}`)
    },
  })
}

/** Where the real package may be had: pi's newer ones need a newer Node, and oh-my-pi's are written for Bun. */
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

/** `needs` ends a sentence: `a model provider`. */
export const unavailable = (name: string, needs: string, packageName: string): unknown =>
  standFor(name, (use) => `${use} needs ${needs}; ${installing(packageName)}.`)

/** Part of the library for terminals, where that is not installed. */
export const needsTerminalLibrary = (name: string): unknown =>
  standFor(
    name,
    (use) => `${use} needs pi's library for terminals; install @mariozechner/pi-tui beside stepline.`,
  )
