export { type McpBuild, type McpServerOptions, mcpServer } from "./mcp-server.ts"
export { type McpStdio, type McpStdioOptions, serveMcpStdio } from "./serve-stdio.ts"
