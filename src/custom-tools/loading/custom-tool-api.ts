/** The API object for the factories of custom tools: one for all tools of a loader, with the current screen. */
import { createRequire } from "node:module"
import { isAbsolute, join, resolve } from "node:path"
import { hostUI } from "../contexts.ts"
import { currentCall } from "../current-call.ts"
import type { CustomToolAPI, CustomToolPendingAction } from "../custom-tool.ts"
import { fileLogger } from "../file-logger.ts"
import { withGetters } from "../layered.ts"
import { makeExec } from "../run-program.ts"
import { ownZod, typeboxModule } from "../stand-ins/typebox.ts"
import type { UIContext } from "../ui-context.ts"
import { foreignOwner, runOutside } from "./isolation.ts"
import type { DiscoveryOptions } from "./load-options.ts"
import { toPushedAction } from "./pending-action.ts"
import { findModule, runsOnNode } from "./resolve-module.ts"

const agentPackage = "@oh-my-pi/pi-coding-agent"

/** Packages installed at `folder` are looked up when a tool first reads them, relative to its module. */
export const makeCustomToolAPI = async (folder: string, options: DiscoveryOptions = {}) => {
  const cwd = resolve(folder)
  const { discovery = "all" } = options
  const installedAt = (name: string) =>
    discovery === "all" ? requireInstalled(name, join(cwd, "package.json")) : undefined
  const { host = {}, standIns = "auto", pendingActions } = options
  let screen: { readonly ui: UIContext; readonly hasUI: boolean } | undefined
  const ours = standIns === "never" ? {} : (await import("../stand-ins/modules.ts")).standIns[agentPackage]
  const pi = once(() => (standIns === "always" ? undefined : installedAt(agentPackage)) ?? ours)
  const zod = zodFinder(once(() => installedAt("zod")))
  const fixed = {
    cwd,
    exec: makeExec(cwd, options.env),
    logger: host.logger ?? fileLogger(),
    typebox: typeboxModule as unknown as CustomToolAPI["typebox"],
    pushPendingAction: (action: CustomToolPendingAction) => {
      const call = currentCall.getStore()
      const store = call?.agent.pendingActions ?? pendingActions
      if (store === undefined) {
        throw new Error("Pending action store unavailable for custom tools in this runtime.")
      }
      const pushed = toPushedAction(action, call, fixed.logger)
      runOutside(() => store.push(pushed))
    },
  }
  const api: CustomToolAPI = withGetters(fixed, {
    ui: () => hostUI(screen?.ui ?? host.ui),
    hasUI: () => screen?.hasUI ?? host.hasUI ?? false,
    pi: pi as () => CustomToolAPI["pi"],
    zod,
  })
  return {
    api,
    /** Sets the tools' screen, instead of the host's. */
    setUIContext: (ui: UIContext, hasUI: boolean): void => {
      screen = { ui, hasUI }
    },
  }
}

const once = (make: () => unknown): (() => unknown) => {
  let made: { readonly value: unknown } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * The zod for the module that reads it, else the one at `cwd`, else ours. A running tool is known only by its name: without
 * a zod at `cwd` it gets the last one found.
 */
const zodFinder = (atCwd: () => unknown): (() => unknown) => {
  const beside = new Map<string, unknown>()
  let last: unknown
  return () => {
    const owner = foreignOwner()
    if (owner === undefined || !isAbsolute(owner)) return atCwd() ?? last ?? ownZod()
    if (!beside.has(owner)) beside.set(owner, requireInstalled("zod", owner) ?? atCwd())
    last = beside.get(owner) ?? last
    return beside.get(owner) ?? ownZod()
  }
}

/** Returns undefined for a package that is not installed for the module at `importer`, or that Node cannot load. */
const requireInstalled = (name: string, importer: string): unknown => {
  const path = findModule(name, { path: importer, isEsm: false })
  if (path === undefined || !runsOnNode(path)) return undefined
  try {
    return createRequire(path)(path)
  } catch {
    return undefined
  }
}
