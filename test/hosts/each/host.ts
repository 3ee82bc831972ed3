/** What the table of hosts asks of each: a model's calls, a user who answers them, and what the model is told. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Program } from "../../support/needs.ts"

/** The one tool file. */
export const toolFile = fileURLToPath(new URL("tools.ts", import.meta.url))

export const capabilities = [
  "approve",
  "deny with a reason",
  "edit",
  "stream",
  "cancel",
  "background",
  "preview and resolve",
  "ask within code",
] as const

export type Capability = (typeof capabilities)[number]

/** What the user of a host does about a call, and those that it makes. */
export interface User {
  /** At its gate. */
  readonly answer: "approve" | { readonly params: { readonly text: string } } | { readonly reason: string }
  /** Once something that the call streams is shown. */
  readonly whenShown?: "let it end" | "cancel"
}

export interface ModelCall {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
}

/** For the commands. Code runs unasked; what it calls is asked about. */
export const toolArgs = ["--no-discovery", "--tool-path", toolFile, "--code", "--allow", "run_code=."]

/** A host that has loaded the tool file, in a folder of its own. All its calls are made in one process, one after the other. */
export interface OpenHost extends AsyncDisposable {
  /** A call of the model, with the user at the other end. Gives what the model is told of it; undefined for a cancelled turn. */
  call(call: ModelCall, user: User): Promise<string | undefined>
}

export interface Host {
  readonly name: string
  /** What it runs besides Node. */
  readonly program?: Program
  /** By what each is done there, or why it cannot be. */
  readonly by: Readonly<Record<Capability, string | { readonly cannot: string }>>
  open(folder: Folder): Promise<OpenHost>
}

/** The folder that the tools work in: what they did stands there. */
export class Folder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** What `publish` waits for. */
  get readyFile(): string {
    return join(this.path, "ready")
  }

  /** As it was before any tool has run. */
  clear(): void {
    for (const name of readdirSync(this.path)) rmSync(join(this.path, name), { recursive: true })
  }

  letItEnd(): void {
    writeFileSync(this.readyFile, "")
  }

  /** What a tool has written; undefined where it did not. */
  written(name: "published" | "stopped" | "renamed"): string | undefined {
    const path = join(this.path, name)
    return existsSync(path) ? readFileSync(path, "utf8") : undefined
  }
}

/** Whether a text is what `publish` streams. */
export const isStreamed = (text: string): boolean => text.includes("uploading")
