/** The zod that oh-my-pi gives its tools, where none is installed for them. Loaded when it is first asked for. */
import { requireBeside } from "../../io/beside.ts"

export const ownZod = (): Readonly<Record<string, unknown>> => requireBeside("zod")
