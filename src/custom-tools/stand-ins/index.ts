/** Stand-ins for the packages that published tools import, if those are not installed. */
import type { StandIns } from "./modules.ts"

export type { StandIns } from "./modules.ts"

/** Loads the modules, by specifier. Lazy, because hosts without foreign tools do not need them. */
export const loadStandIns = async (): Promise<StandIns> => (await import("./modules.ts")).standIns
