/**
 * The contexts of foreign code, with information about its agent. One object serves both runtimes; properties are evaluated
 * when read.
 */
import type { CurrentCall } from "./current-call.ts"
import type { CustomToolContext } from "./custom-tool.ts"
import type { ExtensionCommandContext, ExtensionContext } from "./extension.ts"
import { asked } from "./extensions/settle-within.ts"
import { loggerOf } from "./file-logger.ts"
import type { CustomToolHost } from "./host.ts"
import { withGetters } from "./layered.ts"
import { runOutside } from "./loading/isolation.ts"
import { defaultSession } from "./memory-session.ts"
import type { SessionManager } from "./session-manager.ts"
import { noOpUI, type UIContext } from "./ui-context.ts"

const nothing = (): undefined => undefined
const noList = (): Array<never> => []
const noKey = async (): Promise<undefined> => undefined
const no = (): boolean => false

/** A registry without models, with the methods of both published registries that tools call. */
const noModels = {
  find: nothing,
  getAll: noList,
  getAvailable: noList,
  getError: nothing,
  refresh: nothing,
  hasConfiguredAuth: no,
  isUsingOAuth: no,
  getApiKey: noKey,
  getApiKeyForProvider: noKey,
  getApiKeyAndHeaders: async () => ({ ok: false, error: "This host has no models." }),
  getProviderDisplayName: (provider: string): string => provider,
}

/** The agent of hosts without sub-agents. */
const mainAgent = "main"

/**
 * The context of tools and listeners of both runtimes.
 *
 * Defaults, if the host has none: `ui` is the no-op one, `sessionManager` a small session in memory, `modelRegistry` one
 * without models, `model` undefined. `isIdle()` is false during a call, `hasQueuedMessages()` false. `mode` is `rpc` with a
 * screen for dialogs, else `print`; no model is scoped, no project trusted; `getContextUsage()` returns undefined,
 * `getSystemPrompt()` an empty text; `shutdown()` writes to the log; `compact()` throws an error that names what is missing,
 * or passes it to its option `onError`.
 *
 * @param call The call that the code runs for. Without one, there is no `signal`, and `abort()` only notifies the host.
 * @param cwd The agent's working directory, unless the host has one.
 */
export const contextOf = (
  host: CustomToolHost,
  call: CurrentCall | undefined,
  cwd: string,
): CustomToolContext & ExtensionContext => {
  const session = (): SessionManager => host.sessionManager ?? defaultSession(host)
  const hasMessages = () => host.hasPendingMessages?.() ?? false
  const control = {
    isProjectTrusted: () => host.isProjectTrusted?.() ?? false,
    isIdle: () => host.isIdle?.() ?? call === undefined,
    hasPendingMessages: hasMessages,
    hasQueuedMessages: hasMessages,
    abort: () =>
      runOutside(() => {
        call?.agent.cancel()
        host.onAbort?.(call?.agent.agentId ?? mainAgent)
      }),
    shutdown: () =>
      runOutside(() => {
        if (host.shutdown !== undefined) host.shutdown()
        else loggerOf(host).warn("A tool asked to end the program: the host has no `shutdown`")
      }),
    getContextUsage: () => host.getContextUsage?.(),
    compact: (options?: unknown) => {
      if (host.compact !== undefined) return runOutside(() => host.compact?.(options))
      const error = new Error("This host cannot compact its conversation: it has no `compact`.")
      const { onError } = (options ?? {}) as { onError?: unknown }
      if (typeof onError !== "function") throw error
      onError(error)
    },
    getSystemPrompt: () => host.getSystemPrompt?.() ?? "",
  }
  return withGetters(control, {
    ui: () => hostUI(host.ui),
    hasUI: () => host.hasUI ?? false,
    mode: () => host.mode ?? (host.hasUI === true ? "rpc" : "print"),
    cwd: () => host.cwd ?? cwd,
    sessionManager: session,
    sessionId: () => session().getSessionId(),
    modelRegistry: () => host.modelRegistry ?? noModels,
    model: () => host.model,
    scopedModels: () => host.scopedModels ?? [],
    thinkingLevel: () => host.getThinkingLevel?.(),
    signal: () => call?.signal,
  })
}

/** stepline has no sessions, so requests to change one are refused. */
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

/** The context of commands. Copies property descriptors, so that lazy properties of the context stay lazy. */
export const commandContext = (context: ExtensionContext): ExtensionCommandContext =>
  Object.defineProperties(
    { ...sessionControl },
    Object.getOwnPropertyDescriptors(context),
  ) as unknown as ExtensionCommandContext

/** The screens by the host's own. */
const known = new WeakMap<UIContext, UIContext>()

const madeOf = (ui: UIContext): UIContext =>
  // A copy as the target, because a proxy of a frozen object must return the original properties.
  new Proxy({ ...ui } as UIContext, {
    get: (_target, key) => {
      const value: unknown = Reflect.get(ui, key, ui)
      if (typeof value !== "function") return value
      return (...parts: Array<unknown>) => asked(runOutside(() => value.apply(ui, parts)))
    },
    has: (_target, key) => key in ui,
  })

/**
 * The host's screen for foreign code: its methods run as the host's code, and read the real keyboard. Returns the same object for the
 * same screen.
 */
export const hostUI = (ui: UIContext = noOpUI): UIContext => {
  if (ui === noOpUI) return ui
  let made = known.get(ui)
  if (made === undefined) {
    made = madeOf(ui)
    known.set(ui, made)
  }
  return made
}
