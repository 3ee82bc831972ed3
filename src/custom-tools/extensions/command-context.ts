/** The context of commands beyond that of listeners. stepline has no sessions, so requests to change one are refused. */
import type { ExtensionCommandContext, ExtensionContext } from "../extension.ts"

const turnDown = async (): Promise<{ cancelled: boolean }> => ({ cancelled: true })

const sessionControl = {
  getSystemPromptOptions: () => ({}),
  waitForIdle: async (): Promise<void> => undefined,
  newSession: turnDown,
  fork: turnDown,
  branch: turnDown,
  navigateTree: turnDown,
  switchSession: turnDown,
  reload: async (): Promise<void> => {
    throw new Error("This host cannot load its extensions anew: start it again")
  },
} satisfies Omit<ExtensionCommandContext, keyof ExtensionContext>

/** Copies property descriptors, so that lazy properties of the context stay lazy. */
export const commandContext = (context: ExtensionContext): ExtensionCommandContext =>
  Object.defineProperties(
    { ...sessionControl },
    Object.getOwnPropertyDescriptors(context),
  ) as unknown as ExtensionCommandContext
