/** `pi-agent-core`: tools import its types, which do not exist at run time. Functions that run an agent throw. */
import * as messages from "./messages.ts"
import * as sessionContext from "./session-context.ts"
import * as truncation from "./truncation.ts"
import { uuidv7 } from "./values.ts"

export const piAgentCore: Readonly<Record<string, unknown>> = {
  ...messages,
  ...sessionContext,
  ...truncation,
  uuidv7,
}
