/** What only calls functions is never tried again: it starts no process and opens no connection, and is refused where it does. */
import childProcess, { ChildProcess } from "node:child_process"
import { syncBuiltinESMExports } from "node:module"
import { Server, Socket } from "node:net"

const refuse = (what: string) => (): never => {
  throw new Error(`A test that ${what} says so in its file: // @module-tag waits`)
}

const starts = refuse("starts a process")
Object.assign(ChildProcess.prototype, { spawn: starts })
Object.assign(childProcess, { spawnSync: starts, execFileSync: starts, execSync: starts })
syncBuiltinESMExports()
Server.prototype.listen = refuse("starts a server")
Socket.prototype.connect = refuse("opens a connection")
