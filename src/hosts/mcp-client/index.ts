/// <reference types="node" preserve="true" />
export { McpTools, type McpToolsOptions } from "./mcp-tools.ts"
export type { RemotePrimary } from "./remote-tool.ts"
