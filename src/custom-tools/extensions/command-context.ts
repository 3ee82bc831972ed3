/** What commands are given beyond a listener's context. stepline keeps no sessions: changing one is turned down. */
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

/** Copies descriptors, so that what the context reads late is still read late. */
export const commandContext = (context: ExtensionContext): ExtensionCommandContext =>
  Object.defineProperties(
    { ...sessionControl },
    Object.getOwnPropertyDescriptors(context),
  ) as unknown as ExtensionCommandContext
