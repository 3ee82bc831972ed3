/** The API object of one extension: pi's `ExtensionAPI` and oh-my-pi's in one. It works from loading on. */
import { toPlainJson } from "../../output/to-plain-json.ts"
import { messageOf } from "../../text/message-of.ts"
import type { ExtensionAPI, ExtensionListener } from "../extension.ts"
import type { CustomToolHost, HostRequests, Logger } from "../host.ts"
import { withGetters } from "../layered.ts"
import { runIsolated, runOutside } from "../loading/isolation.ts"
import { defaultSession, writableSession } from "../memory-session.ts"
import { invalidTool, isTaken, nameConflict, takeTool } from "../tool-shape.ts"
import type { ExtensionRunner, RunnerOptions } from "./extension-runner.ts"
import type { LoadedExtension } from "./loaded-extension.ts"

export const makeExtensionAPI = (
  extension: LoadedExtension,
  runner: ExtensionRunner,
  { host, shared }: RunnerOptions,
): ExtensionAPI => {
  const { logger } = shared
  const { path, resolvedPath } = extension.module
  const { tools } = runner
  let isToldOfProviders = false
  const fixed: Omit<ExtensionAPI, "pi" | "zod" | "ui" | "hasUI"> = {
    ...makeHostActions(host, logger),
    cwd: shared.cwd,
    exec: shared.exec,
    logger,
    typebox: shared.typebox,
    pushPendingAction: (action) => shared.pushPendingAction(action),
    on: (event: string, listener: unknown) => {
      if (typeof listener !== "function") {
        throw new TypeError(`Expected the listener of \`${event}\` to be a function, got \`${listener}\``)
      }
      return extension.listen(event, listener as ExtensionListener)
    },
    registerTool: (given) => {
      const index = extension.handedIn++
      if (extension.state === "failed") return
      const isLoading = extension.state === "loading"
      const tool = takeTool(given)
      if (tool === undefined || isTaken(tool.name)) {
        const error = tool === undefined ? invalidTool(index) : nameConflict(tool.name)
        if (isLoading) extension.errors.push(error)
        else logger.warn(error, { path })
        return
      }
      try {
        tools.register({ ...extension.module, tool }, extension.state === "live")
      } catch (error) {
        logger.warn(`Failed to load tool: ${messageOf(error)}`, { path })
      }
    },
    registerCommand: (name, command) => {
      extension.commands.set(name, command)
    },
    registerFlag: (name, flag) => {
      extension.flags.set(name, flag)
    },
    getFlag: (name) => {
      const flag = extension.flags.get(name)
      return flag && (host.flags?.[name] ?? flag.default)
    },
    // These are for screens and models, which stepline leaves to its hosts.
    registerShortcut: () => undefined,
    registerMessageRenderer: () => undefined,
    registerEntryRenderer: () => undefined,
    registerToolRenderer: () => undefined,
    registerMarkdownTransformer: () => undefined,
    registerAssistantThinkingRenderer: () => undefined,
    registerVirtualModel: () => undefined,
    unregisterVirtualModel: () => undefined,
    registerProvider: (given) => {
      // Newer extensions pass the provider itself.
      const name = typeof given === "string" ? given : (given as { id?: unknown } | undefined)?.id
      if (!isToldOfProviders)
        logger.warn(`Ignored the model provider ${name}: stepline runs no models`, { path })
      isToldOfProviders = true
    },
    unregisterProvider: () => undefined,
    getActiveTools: () => tools.active(),
    getAllTools: () => tools.all(),
    setActiveTools: (names) => tools.setActive(names),
    getCommands: () => runner.commands,
    getSettings: () => (toPlainJson(host.settings) ?? {}) as Readonly<Record<string, unknown>>,
    registerMcpServer: (name, config) => runner.mcpServers.register(extension, name, config),
    unregisterMcpServer: (name) => runner.mcpServers.unregister(extension, name),
    getMcpServers: () => runner.mcpServers.list(),
    events: {
      emit: runner.channels.emit,
      on: (channel, listener) => {
        if (extension.state === "failed") return () => undefined
        const isolated = (data: unknown) => runIsolated(resolvedPath, () => listener(data), logger)
        const end = runner.channels.on(channel, isolated, (message) => logger.warn(message, { path }))
        extension.onFailure(end)
        return end
      },
    },
  }
  // Packages load late, and a host can get a screen later.
  const api = withGetters(fixed, {
    pi: () => shared.pi,
    zod: () => shared.zod,
    ui: () => shared.ui,
    hasUI: () => shared.hasUI,
  })
  return withLaterNames(api, (name) => {
    logger.warn(`Ignored pi.${name}(): stepline does not know it`, { path })
  })
}

/** A registration method of a later version is logged once, and otherwise does nothing. */
const withLaterNames = (api: ExtensionAPI, note: (name: string) => void): ExtensionAPI => {
  const noted = new Set<string>()
  return new Proxy(api, {
    get: (target, key) => {
      if (key in target || typeof key !== "string" || !/^(un)?register[A-Z]/.test(key)) {
        return Reflect.get(target, key)
      }
      return () => {
        if (!noted.has(key)) note(key)
        noted.add(key)
      }
    },
  })
}

/**
 * What the host answers. If it cannot, the default session stores entries, labels and the name; messages are dropped, and logged; and
 * the model is unchanged. The host's code runs without the guards for foreign code.
 */
const makeHostActions = (
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
