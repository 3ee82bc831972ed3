/**
 * What the spawn helper runs, as text: it must run wherever this library was bundled to. It connects to the socket that
 * it is given, once to be told what to start and to tell what became of it, a JSON line each, and twice for each process:
 * these connections are its stdout and its stderr. It ends with the first one.
 *
 * A connection is made ahead, so that nobody waits for it, and says with a fixed number of bytes what it is for.
 */

/** `<id>:<1 or 2>`, or `control`, filled up with spaces. */
export const headerBytes = 16

export const spawnHelperScript = `
const { spawn } = require("node:child_process")
const { connect } = require("node:net")
const path = process.argv[1]
const open = () => {
  const socket = connect(path)
  socket.opened = new Promise((resolve) => {
    socket.once("connect", () => resolve(true))
    socket.once("error", () => resolve(false))
  })
  return socket
}
const ready = [open(), open()]
const take = (purpose) => {
  ready.push(open())
  const socket = ready.shift()
  socket.write(purpose.padEnd(${headerBytes}))
  return socket
}
const control = open()
control.write("control".padEnd(${headerBytes}))
const tell = (message) => control.write(JSON.stringify(message) + "\\n")
const plain = ({ message, code, errno, syscall, path, spawnargs }) => ({ message, code, errno, syscall, path, spawnargs })
const start = async ({ id, command, args, cwd, env }) => {
  const pipes = [take(id + ":1"), take(id + ":2")]
  if (!(await pipes[0].opened) || !(await pipes[1].opened)) return tell({ id, refused: true })
  try {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", ...pipes] })
    child.once("error", (error) => tell({ id, error: plain(error) }))
    child.once("exit", (code, signal) => tell({ id, exit: { code, signal } }))
    if (child.pid !== undefined) tell({ id, pid: child.pid })
  } catch (error) {
    tell({ id, error: plain(error) })
  }
  for (const pipe of pipes) pipe.destroy()
}
let text = ""
control.setEncoding("utf8")
control.on("data", (chunk) => {
  const lines = (text + chunk).split("\\n")
  text = lines.pop()
  for (const line of lines) start(JSON.parse(line))
})
control.on("close", () => process.exit())
`
