/** What published tools import where it is not installed. */
import type { StandIns } from "./modules.ts"

export type { StandIns } from "./modules.ts"

/** The modules by specifier. They are loaded when first asked for: a host without foreign tools does without them. */
export const loadStandIns = async (): Promise<StandIns> => (await import("./modules.ts")).standIns
