// Calls that outlive their process: a host is killed while it asks, and the next one goes on.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { noIde, ToolRegistry } from "stepline"
import { openDurableExecutor } from "stepline/durable"
import { editFileTool } from "stepline/tools"

const folder = process.argv[2] ?? (await mkdtemp(join(tmpdir(), "durable-")))
const open = () =>
  openDurableExecutor({
    store: `sqlite:${folder}/calls.db`,
    registry: new ToolRegistry([editFileTool]),
    cwd: folder,
    delegates: noIde,
  })

/** The child: it queues a call, says that it is asked, and waits for an answer until it is killed. */
const host = async (): Promise<void> => {
  const durable = await open()
  const params = { path: "shop.ts", edits: [{ old_string: "net", new_string: "gross" }] }
  await durable.enqueue([{ callId: "edit-1", name: "edit_file", params }])
  for await (const event of durable.events()) {
    if (event._tag === "AwaitingApproval") console.log(`${event.callId} waits for an approval`)
  }
}

const main = async (): Promise<void> => {
  await writeFile(join(folder, "shop.ts"), "export const price = net\n")
  const args = [...process.execArgv, fileURLToPath(import.meta.url), folder]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const [line] = await once(child.stdout, "data")
  process.stdout.write(`Child: ${line}`)
  child.kill("SIGKILL")
  await once(child, "exit")
  console.log("The child is killed.")

  await using durable = await open()
  for (const { callId, name } of await durable.inbox()) console.log(`Next: ${name} (${callId}) still waits`)
  await durable.approve("edit-1")
  for await (const event of durable.events()) {
    if (event._tag === "Completed") break
  }
  console.log(await readFile(join(folder, "shop.ts"), "utf8"))
  await durable.close()
  await rm(folder, { recursive: true })
}

await (process.argv[2] === undefined ? main() : host())
