/** TypeDoc reads the compiler's API, which TypeScript 7 does not have. It gets the last one that does. */
import { register } from "node:module"

const hook = `
  export const resolve = (specifier, context, next) =>
    next(specifier === "typescript" ? "typescript-5.9" : specifier, context)
`
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url)
