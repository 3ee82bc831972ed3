/// <reference types="node" preserve="true" />
export { NvimHost, type NvimHostOptions } from "./nvim-host.ts"
