// @module-tag waits
import { spawn } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"
import { checkout, plainEnvironment, useCli } from "../cli/built-cli.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { describeWith } from "../support/needs.ts"

const cli = useCli()
const path = useTempFolder()

const page = readFileSync(join(checkout, "docs/hosts/serve.md"), "utf8")
const snippets = [...page.matchAll(/```python\n(.*?)```/gs)].map(([, code]) => code!)

/** What each snippet prints, in order. */
const prints = ["shout\nhello\n\nThere is no rule for the tool `shout`.\nCompleted HELLO YOU\n"]

/** A `stepline` on the PATH, as where the package is installed. */
const installed = (): NodeJS.ProcessEnv => {
  writeFileSync(path("stepline"), `#!/bin/sh\nexec ${process.execPath} ${cli.path} "$@"\n`)
  chmodSync(path("stepline"), 0o755)
  return {
    ...plainEnvironment(process.env),
    HOME: path(),
    PATH: `${path()}:${process.env.PATH}`,
    PYTHONPATH: join(checkout, "clients/python"),
  }
}

describeWith("python")("docs/hosts/serve.md", () => {
  it("has an expectation for every snippet in Python", () => {
    expect(snippets).toHaveLength(prints.length)
  })

  prints.forEach((expected, index) => {
    it(`runs snippet ${index + 1} as it stands`, async () => {
      const child = spawn("python3", ["-c", snippets[index]!], { cwd: path(), env: installed() })
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
      expect({ stdout, stderr }).toEqual({ stdout: expected, stderr: "" })
    })
  })
})
