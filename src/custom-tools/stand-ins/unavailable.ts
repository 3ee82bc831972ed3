/** Stands for what needs a screen, a model or a session that is not here: a module that names it loads, and whoever uses it is told. */

/**
 * May be called, constructed, extended and asked for static members; each but the extending throws. `needs` ends a
 * sentence: `a model provider`.
 */
export const unavailable = (name: string, needs: string, packageName: string): unknown => {
  const fail = (use: string): never => {
    throw new Error(`${use} needs ${needs}; install ${packageName} beside the tool.`)
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
