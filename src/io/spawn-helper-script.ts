/**
 * The script of the spawn helper, as a string, so that it runs wherever this library is bundled. It connects to the given
 * socket: once as the control connection, for requests and results as JSON lines, and twice for each process, for its stdout
 * and stderr. It ends with the control connection.
 *
 * Connections are made ahead of time, and start with a fixed-size header that names their purpose.
 */

/** `<id>:<1 or 2>`, or `control`, padded with spaces. */
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
