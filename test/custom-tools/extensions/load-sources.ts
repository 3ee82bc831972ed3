/** Loads extensions from sources that are written to real files, and keeps what their host is told. */

import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import {
  type CustomToolHost,
  type LoadedExtensions,
  type Logger,
  loadExtensions,
} from "../../../src/custom-tools/index.ts"

/** A folder that is gone after the test. */
export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "stepline-extensions-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A logger that keeps its warnings. */
export const recordingLogger = (): Logger & { readonly warnings: Array<string> } => {
  const warnings: Array<string> = []
  const ignore = () => undefined
  return {
    warnings,
    warn: (message) => {
      warnings.push(message)
    },
    error: ignore,
    info: ignore,
    debug: ignore,
  }
}

export interface LoadedSources extends LoadedExtensions {
  /** The type and data of each `pi.appendEntry`, which is how sources tell what they saw. */
  readonly entries: Array<[string, unknown]>
  readonly warnings: Array<string>
  readonly host: CustomToolHost
  readonly cwd: string
}

/** Each source is the body of a factory that is given `pi`. */
export const loadSources = async (
  bodies: ReadonlyArray<string>,
  overrides: CustomToolHost = {},
): Promise<LoadedSources> => {
  const cwd = await temporaryFolder()
  const entries: Array<[string, unknown]> = []
  const logger = recordingLogger()
  const host: CustomToolHost = {
    logger,
    appendEntry: (type, data) => {
      entries.push([type, data])
    },
    ...overrides,
  }
  const paths = await Promise.all(
    bodies.map(async (body, index) => {
      const path = join(cwd, `extension-${index}.mjs`)
      await writeFile(path, `export default async (pi) => {\n${body}\n}\n`)
      return path
    }),
  )
  const loaded = await loadExtensions(paths, cwd, { host })
  return { ...loaded, entries, warnings: logger.warnings, host, cwd }
}

/** The source of a tool that answers with a text. */
export const toolSource = (name: string, text = name): string =>
  `{ name: "${name}", description: "d", parameters: { type: "object", properties: {} },
     execute: async () => ({ content: [{ type: "text", text: "${text}" }] }) }`
