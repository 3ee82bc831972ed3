export { NvimHost, type NvimHostOptions } from "./nvim-host.ts"
