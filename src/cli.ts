#!/usr/bin/env node
/** The `stepline` command. */
import { readFileSync } from "node:fs"
import { type About, runProgram } from "./cli/program.ts"
import { tellLostOutput } from "./cli/stopping.ts"

const about = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as About

tellLostOutput()
process.exitCode = await runProgram(process.argv.slice(2), about)
// A foreign tool may have left something open, such as a timer, that would keep the process.
process.stdout.write("", () => process.exit())
