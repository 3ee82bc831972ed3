/** What foreign code is told of its agent. One object serves both runtimes; everything is read when it is asked for. */
import type { CurrentCall } from "./current-call.ts"
import type { CustomToolContext } from "./custom-tool.ts"
import type { ExtensionContext } from "./extension.ts"
import { loggerOf } from "./file-logger.ts"
import type { CustomToolHost } from "./host.ts"
import { hostUI } from "./host-ui.ts"
import { runOutside } from "./loading/isolation.ts"
import { defaultSession } from "./memory-session.ts"
import { noModels } from "./no-models.ts"
import type { SessionManager } from "./session-manager.ts"

/** The agent that hosts without sub-agents call. */
const mainAgent = "main"

/** Properties of its own, and not of a class: tools spread contexts. */
const contextOf = (
  host: CustomToolHost,
  call: CurrentCall | undefined,
  cwd: string,
): CustomToolContext & ExtensionContext => {
  const session = (): SessionManager => host.sessionManager ?? defaultSession(host)
  const hasMessages = () => host.hasPendingMessages?.() ?? false
  return {
    get ui() {
      return hostUI(host.ui)
    },
    get hasUI() {
      return host.hasUI ?? false
    },
    get mode() {
      return host.mode ?? (host.hasUI === true ? "rpc" : "print")
    },
    get cwd() {
      return host.cwd ?? cwd
    },
    get sessionManager() {
      return session()
    },
    get sessionId() {
      return session().getSessionId()
    },
    get modelRegistry() {
      return host.modelRegistry ?? noModels
    },
    get model() {
      return host.model
    },
    get scopedModels() {
      return host.scopedModels ?? []
    },
    get thinkingLevel() {
      return host.getThinkingLevel?.()
    },
    get signal() {
      return call?.signal
    },
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
    compact: (options) => {
      if (host.compact !== undefined) return runOutside(() => host.compact?.(options))
      const error = new Error("This host cannot compact its conversation: it has no `compact`.")
      const { onError } = (options ?? {}) as { onError?: unknown }
      if (typeof onError !== "function") throw error
      onError(error)
    },
    getSystemPrompt: () => host.getSystemPrompt?.() ?? "",
  }
}

/**
 * The context of a custom tool's `execute` and `onSession`.
 *
 * What the host leaves out: `ui` is the no-op one, `sessionManager` a small session in memory, `modelRegistry` one
 * without models, `model` undefined. `isIdle()` is false during a call, `hasQueuedMessages()` false.
 *
 * @param call The call that the code runs for. Without one, `abort()` tells the host alone.
 * @param cwd Where the agent works, unless the host says otherwise.
 */
export const customToolContext: (
  host: CustomToolHost,
  call: CurrentCall | undefined,
  cwd: string,
) => CustomToolContext = contextOf

/**
 * The context of a pi tool and of an extension's listeners: as `customToolContext`, and `signal` is the call's.
 *
 * What the host leaves out: `mode` is `rpc` where there is a screen for dialogs, else `print`; no model is scoped, no project
 * trusted; `getContextUsage()` gives undefined, `getSystemPrompt()` an empty text; `shutdown()` is a note in the log; `compact()`
 * throws a sentence that names what is missing, unless its options have an `onError`, which is told.
 */
export const extensionContext: (
  host: CustomToolHost,
  call: CurrentCall | undefined,
  cwd: string,
) => ExtensionContext = contextOf
