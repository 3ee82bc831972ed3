/// <reference types="node" preserve="true" />
export { acpMachine } from "./acp-machine.ts"
export { AcpToolHost, type AcpToolHostOptions } from "./acp-tool-host.ts"
export type { AcpCapabilities, AcpClient, AcpRequestOptions, AcpSession } from "./client.ts"
