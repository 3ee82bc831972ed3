/** Stand-ins for the packages that published tools import, if those are not installed. */

/** Loads the modules, by specifier. Lazy, because hosts without foreign tools do not need them. */
export const loadStandIns = async () => (await import("./modules.ts")).standIns
