/** `stepline mcp` with the SDK's own client, over its standard streams. */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { textOfResult } from "../mcp/connected.ts"
import { type Host, isStreamed, type OpenHost, toolArgs, type User } from "./host.ts"

const formOf = (answer: User["answer"]): Record<string, string> => {
  if (answer === "approve") return { decision: "approve" }
  if ("reason" in answer) return { decision: "deny", reason: answer.reason }
  return { decision: "approve", params: JSON.stringify(answer.params) }
}

/** @param cli The built command. */
export const mcp = (cli: { readonly path: string }): Host => ({
  name: "MCP client",
  by: {
    approve: "form",
    "deny with a reason": "form",
    edit: "form",
    stream: "progress",
    cancel: "cancelled request",
    background: "tools for tasks",
    "preview and resolve": "`tools/list_changed`",
    "ask within code": "form",
  },
  async open(folder): Promise<OpenHost> {
    const capabilities = { elicitation: { form: {} } }
    const client = new Client({ name: "a client", version: "1.0.0" }, { capabilities })
    let user: User
    client.setRequestHandler("elicitation/create", () => ({
      action: "accept",
      content: formOf(user.answer),
    }))
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cli.path, "mcp", ...toolArgs],
      cwd: folder.path,
      env: { ...(process.env as Record<string, string>), HOME: folder.path },
    })
    await client.connect(transport)
    return {
      async call({ name, params }, given) {
        user = given
        const abort = new AbortController()
        const onprogress = ({ message = "" }) => {
          if (!isStreamed(message)) return
          if (given.whenShown === "cancel") abort.abort()
          else if (given.whenShown === "let it end") folder.letItEnd()
        }
        // As a model's client: it calls what is listed.
        const { tools } = await client.listTools(undefined, { cacheMode: "refresh" })
        if (!tools.some((tool) => tool.name === name)) throw new Error(`The tool ${name} is not listed`)
        try {
          const { signal } = abort
          const result = await client.callTool({ name, arguments: params }, { onprogress, signal })
          return textOfResult(result)
        } catch (error) {
          if (!abort.signal.aborted) throw error
          return undefined
        }
      },
      [Symbol.asyncDispose]: () => client.close(),
    }
  },
})
