/**
 * Starts processes from a small helper process if that is cheaper: the cost of a fork grows with the memory of the forking
 * process. The output does not pass through the helper. It ends with this process, and does not keep it alive.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer, type Server, type Socket } from "node:net"
import { basename, join } from "node:path"
import { makePrivateFolder, removePrivateFolder } from "./output-folder.ts"
import { headerBytes, spawnHelperScript } from "./spawn-helper-script.ts"
import type { Exit, ProcessSpec, StartedProcess } from "./started-process.ts"

type Reply =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly exit: Exit }
  | { readonly id: number; readonly refused: true }
  | { readonly id: number; readonly error: { readonly message: string; readonly [key: string]: unknown } }

/** A process being started: ready once its pid and both pipes have arrived. */
class Start {
  readonly started: Promise<StartedProcess>
  private readonly pipes: [Socket | undefined, Socket | undefined] = [undefined, undefined]
  private pid: number | undefined
  private isEnded = false
  private resolveStarted!: (process: StartedProcess) => void
  private rejectStarted!: (cause: unknown) => void
  private resolveExit!: (exit: Exit) => void
  private rejectExit!: (cause: unknown) => void
  private readonly exited: Promise<Exit>

  constructor() {
    this.started = new Promise((resolve, reject) => {
      this.resolveStarted = resolve
      this.rejectStarted = reject
    })
    this.exited = new Promise((resolve, reject) => {
      this.resolveExit = resolve
      this.rejectExit = reject
    })
    this.exited.catch(() => {})
  }

  hasPid(pid: number): void {
    this.pid = pid
    this.check()
  }

  hasPipe(stream: 1 | 2, pipe: Socket): void {
    this.pipes[stream - 1] = pipe
    this.check()
  }

  hasEnded(exit: Exit): void {
    this.isEnded = true
    this.resolveExit(exit)
  }

  /** Whether the start is complete and the process has ended. A short process can end before its pipes arrive. */
  get isOver(): boolean {
    return this.isEnded && this.pipes[0] !== undefined && this.pipes[1] !== undefined
  }

  fail(cause: unknown): void {
    this.rejectStarted(cause)
    this.rejectExit(cause)
    if (this.pid === undefined) for (const pipe of this.pipes) pipe?.destroy()
  }

  private check(): void {
    const { pid, exited } = this
    const [stdout, stderr] = this.pipes
    if (pid !== undefined && stdout !== undefined && stderr !== undefined) {
      this.resolveStarted({ pid, stdout, stderr, exited })
    }
  }
}

/** Only if the running program is Node itself: another executable might start itself again. */
export const canHaveSpawnHelper = (): boolean =>
  process.platform !== "win32" && /^node(js)?[-.\d]*$/.test(basename(process.execPath))

/** Thrown if a process was not started, and can be started in another way. */
export class SpawnHelperRefused extends Error {
  override readonly name = "SpawnHelperRefused"
}

/** It is unknown whether the process was started. */
const helperEnded = () => new Error("The helper that starts processes was ended. Try again.")

export class SpawnHelper {
  private readonly starts = new Map<number, Start>()
  private readonly folder: string
  private readonly server: Server
  private readonly child: ChildProcess
  private control: Socket | undefined
  private lastId = 0
  private isGone = false
  private isUnwanted = false
  private readonly onGone: () => void

  private constructor(folder: string, server: Server, child: ChildProcess, onGone: () => void) {
    this.folder = folder
    this.server = server
    this.child = child
    this.onGone = onGone
  }

  /** Resolves once the helper is ready. `onGone` is called when it no longer is. */
  static async start(onGone: () => void): Promise<SpawnHelper> {
    const folder = await makePrivateFolder("stepline-spawn-")
    const path = join(folder, "socket")
    const server = createServer()
    server.unref()
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(path, resolve)
    })
    const child = spawn(process.execPath, ["-e", spawnHelperScript, path], {
      cwd: "/",
      // Without preloads or an inspector; the variable makes Electron run as Node.
      env: { PATH: process.env.PATH, ELECTRON_RUN_AS_NODE: "1" },
      detached: true,
      stdio: "ignore",
    })
    child.unref()
    const helper = new SpawnHelper(folder, server, child, onGone)
    await helper.connected()
    return helper
  }

  /** Rejects with a SpawnHelperRefused if it did not try, with Node's error if the start failed. */
  start(spec: ProcessSpec): Promise<StartedProcess> {
    const { control } = this
    if (this.isGone || control === undefined) return Promise.reject(new SpawnHelperRefused())
    const id = ++this.lastId
    const start = new Start()
    this.starts.set(id, start)
    control.ref()
    control.write(`${JSON.stringify({ id, ...spec })}\n`)
    return start.started
  }

  /** Retires the helper. The processes that it has started continue. */
  endOnceIdle(): void {
    this.isUnwanted = true
    if (this.starts.size === 0) this.end()
  }

  private connected(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = () => {
        reject(helperEnded())
        this.end()
      }
      this.child.once("error", fail)
      this.child.once("exit", fail)
      this.server.on("connection", (socket) => {
        socket.unref()
        socket.on("error", () => {})
        this.readPurpose(socket, resolve)
      })
    })
  }

  /** Reads the header of a connection. Idle connections do not keep this process alive; those in use do. */
  private readPurpose(socket: Socket, onControl: () => void): void {
    const read = () => {
      const header: Buffer | null = socket.read(headerBytes)
      if (header === null) return
      socket.off("readable", read)
      const [purpose = "", stream] = header.toString("latin1").trim().split(":")
      if (purpose === "control") {
        this.control = socket
        this.listen(socket)
        onControl()
        return
      }
      const id = Number(purpose)
      const start = this.starts.get(id)
      if (start === undefined) return socket.destroy()
      socket.ref()
      start.hasPipe(stream === "1" ? 1 : 2, socket)
      if (start.isOver) this.forget(id)
    }
    socket.on("readable", read)
  }

  private listen(control: Socket): void {
    let text = ""
    control.setEncoding("utf8")
    control.on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n")
      text = lines.pop()!
      for (const line of lines) this.take(JSON.parse(line) as Reply)
    })
    control.resume()
    control.once("close", () => this.end())
  }

  private take(reply: Reply): void {
    const { id } = reply
    const start = this.starts.get(id)
    if (start === undefined) return
    if ("pid" in reply) return start.hasPid(reply.pid)
    if ("exit" in reply) {
      start.hasEnded(reply.exit)
      if (!start.isOver) return
    } else if ("refused" in reply) start.fail(new SpawnHelperRefused())
    else start.fail(Object.assign(new Error(reply.error.message), reply.error))
    this.forget(id)
  }

  private forget(id: number): void {
    this.starts.delete(id)
    if (this.starts.size > 0) return
    this.control?.unref()
    if (this.isUnwanted) this.end()
  }

  private end(): void {
    if (this.isGone) return
    this.isGone = true
    this.server.close()
    this.control?.destroy()
    void removePrivateFolder(this.folder)
    for (const start of this.starts.values()) start.fail(helperEnded())
    this.starts.clear()
    this.onGone()
  }
}
