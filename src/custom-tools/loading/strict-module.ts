/** Stand-ins have the names that published tools use. Asking one for another name is an error, not `undefined`. */

export const missingName = (name: string, specifier: string, importer: string): Error =>
  new Error(
    `${importer} imports "${name}" from "${specifier}", which stepline's stand-in does not have: install the package beside the tool`,
  )

/** Asked of any module by code that does not know which one it has: promises, interop. */
const askedOfAll: ReadonlySet<PropertyKey> = new Set(["then", "default", "toJSON"])

/** The module as one importer sees it. Its names are known to `in`. */
export const strictModule = (module: object, specifier: string, importer: string): object =>
  new Proxy(module, {
    get: (target, key) => {
      // Compiled code copies whatever is no ES module, and would lose the proxy.
      if (key === "__esModule") return true
      if (typeof key === "string" && !(key in target) && !askedOfAll.has(key)) {
        throw missingName(key, specifier, importer)
      }
      return Reflect.get(target, key)
    },
  })
