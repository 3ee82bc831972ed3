/**
 * Packages that are loaded from the disk when they are needed. A bundler does not see their names, so it neither looks for them
 * nor takes them in; they are looked for beside this module, which in a bundle is the bundle.
 */
import { createRequire } from "node:module"

/** CommonJS, which a bundler may make of this, has no `import.meta`. */
export const here: string = import.meta.url ?? __filename

/** `require`, as of a CommonJS module that stands here. */
export const requireBeside: NodeJS.Require = createRequire(here)

/** `import`. The caller says what the module is. */
export const importBeside = <Module>(name: string): Promise<Module> => import(/* @vite-ignore */ name)
