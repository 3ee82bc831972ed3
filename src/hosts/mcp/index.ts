/// <reference types="node" preserve="true" />

export type { Mounted, MountOptions } from "../http/mount.ts"
export type { NodeListener } from "../http/node-listener.ts"
export type { McpInput } from "./client-question.ts"
export type { McpEndpointOptions } from "./http-endpoint.ts"
export { type McpHandlerOptions, mcpHandler } from "./mcp-handler.ts"
export { type McpBuild, type McpServerOptions, type McpTaskMode, mcpServer } from "./mcp-server.ts"
export { type McpHttp, type McpHttpOptions, serveMcpHttp } from "./serve-http.ts"
export { type McpStdio, type McpStdioOptions, serveMcpStdio } from "./serve-stdio.ts"
