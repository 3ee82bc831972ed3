// @module-tag waits
import { execFile } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { verifyDecisionLog } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { plainEnvironment, runNode, useCli } from "./built-cli.ts"

const path = useTempFolder()
const cli = useCli()
const stepline = (...args: Array<string>) => runNode([cli.path, ...args], { cwd: path() })

test("run --log writes each decision down, and verify-log tells whether it was changed", async () => {
  const lines = ["ls", "touch x", "rm x"].map((command) => ({ name: "shell", params: { command } }))
  await writeFile(path("calls.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"))
  const rules = ["--allow", "shell=^ls", "--deny", "shell=^rm"]
  for (let time = 0; time < 2; time++) {
    expect((await stepline("run", "calls.jsonl", ...rules, "--log", "decisions.jsonl")).status).toBe(3)
  }
  const text = await readFile(path("decisions.jsonl"), "utf8")
  const { lines: decisions } = verifyDecisionLog(text)
  const told = decisions.map(({ verdict, by, source, rule }) => [verdict, by, source, rule])
  const once = [
    ["approve", "rule", "--allow", "^ls"],
    ["run", "rule", "--allow", "^ls"],
    ["deny", "user", undefined, undefined],
    ["deny", "rule", "--deny", "^rm"],
  ]
  expect(told).toEqual([...once, ...once])

  const whole = await stepline("verify-log", "decisions.jsonl")
  expect(whole).toMatchObject({
    status: 0,
    stdout: `8 decisions, as they were written. The last hash is ${decisions.at(-1)!.hash}.\n`,
  })
  await writeFile(path("decisions.jsonl"), text.replace('"by":"user"', '"by":"rule"'))
  const changed = await stepline("verify-log", "decisions.jsonl")
  expect(changed).toMatchObject({ status: 1, stderr: "Line 3 was changed after it was written.\n" })
  const refused = await stepline("run", "calls.jsonl", "--log", "decisions.jsonl")
  expect(refused.status).toBe(2)
  expect(refused.stderr).toMatch(
    /^stepline: --log: .*Line 3 was changed.* Move it away to begin another\.\n$/,
  )
  // As a file may end after a power cut.
  await writeFile(path("decisions.jsonl"), `${text}${"\0".repeat(8)}`)
  const cutOff = await stepline("verify-log", "decisions.jsonl")
  expect(cutOff).toMatchObject({ status: 1, stderr: "The last line is not whole.\n" })
  expect((await stepline("verify-log", "nowhere")).status).toBe(2)
  // Whoever cuts it to nothing leaves what a log is before anything was decided.
  await writeFile(path("decisions.jsonl"), "")
  expect(await stepline("verify-log", "decisions.jsonl")).toMatchObject({
    status: 0,
    stdout: `0 decisions: the file is empty. Nothing was decided, or all of it was cut off, which this cannot tell: compare the last hash with the one that you kept. The last hash is ${"0".repeat(64)}.\n`,
  })
})

test("a run whose log finds no room for a line fails, and leaves whole lines that can be gone on with", async () => {
  const line = '{"name": "shell", "params": {"command": "echo"}}'
  await writeFile(path("calls.jsonl"), Array.from({ length: 12 }, () => line).join("\n"))
  const args = [cli.path, "run", "calls.jsonl", "--yes", "--log", "decisions.jsonl"]
  // At most 2 or 4 kilobytes in a file: with most kernels, the write that passes that is cut off.
  const limited = ["-c", 'trap "" XFSZ; ulimit -f 4; exec "$@"', "bash", process.execPath, ...args]
  const { code, stderr } = await promisify(execFile)("bash", limited, {
    cwd: path(),
    env: plainEnvironment(process.env),
  }).catch((error) => error)
  expect([code, stderr]).toEqual([1, "stepline: --log: EFBIG: file too large, write\n"])
  expect((await stepline("verify-log", "decisions.jsonl")).status).toBe(0)
  expect((await runNode(args, { cwd: path() })).status).toBe(0)
})

test("run --log-key signs, and verify-log --key says which line does not hold", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  await Promise.all([
    writeFile(path("key.pem"), privateKey.export({ type: "pkcs8", format: "pem" })),
    writeFile(path("public.pem"), publicKey.export({ type: "spki", format: "pem" })),
    writeFile(path("calls.jsonl"), JSON.stringify({ name: "shell", params: { command: "ls" } })),
  ])
  const run = (...args: Array<string>) => stepline("run", "calls.jsonl", "--allow", "shell=^ls", ...args)
  expect(await run("--log", "signed.jsonl", "--log-key", "key.pem")).toMatchObject({ status: 0 })
  expect(await stepline("verify-log", "signed.jsonl", "--key", "public.pem")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^2 decisions, as they were written and signed\. The last hash is/),
  })
  expect((await stepline("verify-log", "signed.jsonl")).stderr).toBe(
    "stepline: the signatures were not checked: give the public key with --key.\n",
  )
  const [first] = (await readFile(path("signed.jsonl"), "utf8")).split("\n")
  const { signature: _, ...bare } = JSON.parse(first!)
  await writeFile(path("bare.jsonl"), `${JSON.stringify(bare)}\n`)
  expect(await stepline("verify-log", "bare.jsonl", "--key", "public.pem")).toMatchObject({
    status: 1,
    stderr: "Line 1 is not signed.\n",
  })
  expect(await stepline("verify-log", "signed.jsonl", "--key", "none.pem")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--key: The key none.pem cannot be read"),
  })
  expect(await run("--log-key", "key.pem")).toMatchObject({
    status: 2,
    stderr: "stepline: --log-key signs the lines of --log: give both\n",
  })
})
