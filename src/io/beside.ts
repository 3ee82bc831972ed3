/**
 * Loads packages from the disk when they are needed. A bundler does not see their names, so it neither resolves nor bundles
 * them; they are resolved relative to this module, which in a bundle is the bundle.
 */
import { createRequire } from "node:module"

/** A bundler can turn this into CommonJS, which has no `import.meta`. */
export const here: string = import.meta.url ?? __filename

/** `require`, relative to this module. */
export const requireBeside: NodeJS.Require = createRequire(here)

/** `import`. The caller gives the module's type. */
export const importBeside = <Module>(name: string): Promise<Module> => import(/* @vite-ignore */ name)
