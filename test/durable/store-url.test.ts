import { expect, it } from "vitest"
import { isPostgres, storePath } from "../../src/durable/store-url.ts"

it.each([
  ["sqlite:./calls.db", "/home/me/calls.db"],
  ["SQLite:./calls.db", "/home/me/calls.db"],
  ["calls.db", "/home/me/calls.db"],
  ["a:b.db", "/home/me/a:b.db"],
  ["file:///tmp/calls.db", "/tmp/calls.db"],
  ["FILE:///tmp/calls.db", "/tmp/calls.db"],
])("%s is a file", (store, path) => {
  expect(storePath(store, "/home/me")).toBe(path)
})

it.each(["postgres://h/d", "postgresql://h/d", "Postgres://h/d", "POSTGRESQL://h/d"])(
  "%s is a Postgres database",
  (store) => {
    expect(isPostgres(store)).toBe(true)
  },
)

it.each(["mysql", "MySQL", "libsql", "https", "postgres+ssl"])("an address of %s is no store", (scheme) => {
  const store = `${scheme}://me:secret@host/db`
  expect(isPostgres(store)).toBe(false)
  expect(() => storePath(store)).toThrow(
    `There are no stores of ${scheme}:// here. Expected a file, such as sqlite:./calls.db, or postgres://user:password@host:5432/database`,
  )
})

it("a file of another machine is no store", () => {
  expect(() => storePath("file://calls.db")).toThrow(
    /^The store file:\/\/calls\.db is no file of this machine: /,
  )
})
