import { homedir } from "node:os"
import { expect, it } from "vitest"
import { storeTitle } from "../../src/cli/ui-store.ts"

it("names the store above its page, and no password of it", () => {
  expect([
    storeTitle(`${homedir()}/calls.db`),
    storeTitle(`sqlite:${homedir()}/calls.db`),
    storeTitle("postgres://me:secret@db.example:5432/calls?password=secret"),
    storeTitle("postgres://me:secret@/calls"),
  ]).toEqual([
    "stepline, calls of ~/calls.db",
    "stepline, calls of ~/calls.db",
    "stepline, calls of db.example:5432/calls",
    "stepline, calls of a database",
  ])
})
