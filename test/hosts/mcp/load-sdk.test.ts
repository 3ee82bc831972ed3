import { describe, expect, it } from "vitest"
import { loadServerSdk } from "../../../src/hosts/mcp/load-sdk.ts"

describe("the SDK of the MCP server", () => {
  it("says how to install it where it is missing", async () => {
    const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" })
    await expect(loadServerSdk(() => Promise.reject(missing))).rejects.toThrow(
      "The package @modelcontextprotocol/server is not installed. Install it: npm install @modelcontextprotocol/server@2",
    )
  })

  it("says why it could not be loaded", async () => {
    await expect(loadServerSdk(() => Promise.reject(new Error("broken")))).rejects.toThrow(
      "The package @modelcontextprotocol/server could not be loaded: broken",
    )
  })
})
