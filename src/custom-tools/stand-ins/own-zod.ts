/** The zod that oh-my-pi provides to its tools, if none is installed for them. Loaded on first use. */
import { requireBeside } from "../../io/beside.ts"

export const ownZod = (): Readonly<Record<string, unknown>> => requireBeside("zod")
