/// <reference types="node" preserve="true" />
export { type FormScreen, inputOn } from "../input-form.ts"
export { McpTools, type McpToolsOptions } from "./mcp-tools.ts"
export type { RemotePrimary } from "./server-tool.ts"
