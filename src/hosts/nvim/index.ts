export { type IdeDelegate, NvimHost, type NvimHostOptions } from "./nvim-host.ts"
