/**
 * The requests of extensions about the session and its model, which the host answers. If it cannot, the default session
 * stores entries, labels and the name; messages are dropped, and logged; and the model is unchanged. The host's code runs
 * without the guards for foreign code.
 */
import { toPlainJson } from "../../output/to-plain-json.ts"
import type { ExtensionAPI } from "../extension.ts"
import type { CustomToolHost, HostRequests, Logger } from "../host.ts"
import { runOutside } from "../loading/isolation.ts"
import { defaultSession, writableSession } from "../memory-session.ts"

export const makeHostActions = (
  host: CustomToolHost,
  logger: Logger,
): HostRequests & Pick<ExtensionAPI, "getSessionName"> => {
  /** Only the host changes a session of its own. */
  const ownSession = () => writableSession(host)
  return {
    sendMessage: (message, options) => {
      if (host.sendMessage !== undefined) runOutside(() => host.sendMessage?.(message, options))
      else logger.debug("Dropped a message of an extension: the host has no `sendMessage`")
    },
    sendUserMessage: (content, options) => {
      if (host.sendUserMessage !== undefined) runOutside(() => host.sendUserMessage?.(content, options))
      else logger.warn("Dropped a message in the user's name: the host has no `sendUserMessage`")
    },
    appendEntry: (customType, data) => {
      if (host.appendEntry !== undefined) runOutside(() => host.appendEntry?.(customType, data))
      else ownSession()?.append({ type: "custom", customType, data: toPlainJson(data) })
    },
    setSessionName: (name) => {
      if (host.setSessionName !== undefined) runOutside(() => host.setSessionName?.(name))
      else ownSession()?.setSessionName(name)
    },
    getSessionName: () => (host.sessionManager ?? defaultSession(host)).getSessionName(),
    setLabel: (entryId, label) => {
      if (host.setLabel !== undefined) runOutside(() => host.setLabel?.(entryId, label))
      else ownSession()?.setLabel(entryId, label)
    },
    setModel: async (model) => (await runOutside(() => host.setModel?.(model))) ?? false,
    getThinkingLevel: () => host.getThinkingLevel?.() ?? "off",
    setThinkingLevel: (level) => runOutside(() => host.setThinkingLevel?.(level)),
  }
}
