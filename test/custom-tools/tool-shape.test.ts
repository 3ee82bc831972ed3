import { describe, expect, it } from "vitest"
import { takeTool } from "../../src/custom-tools/tool-shape.ts"

const plain = { name: "a", description: "d", parameters: {}, execute: () => "done" as unknown }

describe("takeTool", () => {
  it.each(["name", "description", "parameters", "execute"])("needs a %s", (field) => {
    expect(takeTool(plain)).toBeDefined()
    expect(takeTool({ ...plain, [field]: undefined })).toBeUndefined()
    expect(takeTool({ ...plain, [field]: 5 })).toBeUndefined()
  })

  it.each([undefined, null, "tool", () => plain])("takes no %s", (value) => {
    expect(takeTool(value)).toBeUndefined()
  })

  it("takes an instance of a class, whose methods keep their state", () => {
    class Counter {
      readonly name = "count"
      readonly description = "d"
      readonly parameters = {}
      #count = 0
      execute() {
        this.#count += 1
        return this.#count
      }
    }
    const execute = takeTool(new Counter())?.execute as unknown as () => number
    expect([execute(), execute()]).toEqual([1, 2])
  })

  it("keeps what the author added", () => {
    expect(takeTool({ ...plain, mcpServerName: "files" })).toMatchObject({ mcpServerName: "files" })
  })

  it("reads each field once", () => {
    const names = ["a", "b"]
    const tool = takeTool({
      ...plain,
      get name() {
        return names.shift()
      },
    })
    expect([tool?.name, tool?.name]).toEqual(["a", "a"])
  })

  it("takes none that throws when it is read", () => {
    const thrower = {
      ...plain,
      get label() {
        throw new Error("getter")
      },
    }
    expect(takeTool(thrower)).toBeUndefined()
  })
})
