/** The zod that oh-my-pi gives its tools, where none is installed for them. Loaded when it is first asked for. */
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

export const ownZod = (): Readonly<Record<string, unknown>> => require("zod")
