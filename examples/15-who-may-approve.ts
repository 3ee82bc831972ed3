// A gate of people with names: only owners may answer, and two of them have to approve.
import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type } from "@sinclair/typebox"
import {
  DecisionLog,
  defineTool,
  pipeline,
  Step,
  ToolExecutor,
  ToolRegistry,
  verifyDecisionLog,
} from "stepline"

const owners = new Set(["ann", "bob", "carol"])
const drop = defineTool({
  name: "drop_table",
  description: "Drops a table.",
  parameters: Type.Object({ table: Type.String() }),
  compose: ({ table }) =>
    pipeline()
      .awaitApproval({ label: `Drop ${table}?`, approvers: (by) => owners.has(by), quorum: 2 })
      .andThen(() => Step.Output(`${table} is dropped`)),
})

// Who decided goes into a log that is signed: a changed, removed or moved line is found.
const folder = mkdtempSync(join(tmpdir(), "who-"))
const path = (name: string) => join(folder, name)
const [file, key, publicKey] = [path("log.jsonl"), path("key.pem"), path("public.pem")]
const pair = generateKeyPairSync("ed25519") // a person does it with openssl, once
writeFileSync(key, pair.privateKey.export({ type: "pkcs8", format: "pem" }))
writeFileSync(publicKey, pair.publicKey.export({ type: "spki", format: "pem" }))
using log = DecisionLog.open(file, { key })
await using executor = new ToolExecutor(new ToolRegistry([drop]), { onDecision: log.add })

const { content } = await executor.run(
  { callId: "d1", name: drop.name, params: { table: "users" } },
  (event) => {
    if (event._tag !== "AwaitingApproval") return
    for (const by of ["eve", "ann", "ann", "bob"]) {
      const [outcome] = executor.answer([{ callId: "d1", approve: true }], { by })
      console.log(`${by}: ${outcome?.took ? "counts" : "does not count"}. ${outcome?.why ?? ""}`)
    }
  },
)
console.log(content)

const text = readFileSync(file, "utf8")
const { lines, problems } = verifyDecisionLog(text, { key: publicKey })
console.log(lines.map(({ verdict, id }) => `${verdict} ${id}`).join(", "), problems)
console.log(verifyDecisionLog(text.replace('"id":"bob"', '"id":"eve"'), { key: publicKey }).problems[0])
rmSync(folder, { recursive: true })
