import { fileURLToPath } from "node:url"

/** The folder of the checkout. It ends with a slash. */
export const root = fileURLToPath(new URL("../..", import.meta.url))
