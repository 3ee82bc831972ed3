/// <reference types="node" preserve="true" />
export type { McpInput } from "./client-question.ts"
export { type McpBuild, type McpServerOptions, type McpTaskMode, mcpServer } from "./mcp-server.ts"
export { type McpHttp, type McpHttpOptions, serveMcpHttp } from "./serve-http.ts"
export { type McpStdio, type McpStdioOptions, serveMcpStdio } from "./serve-stdio.ts"
