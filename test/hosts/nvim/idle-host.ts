/** A program that uses a Neovim and forgets to close it. Run by the tests. */
import { NvimHost } from "../../../src/hosts/nvim/index.ts"

const address = await new NvimHost({ socket: process.argv[2] }).connect()
process.stdout.write(`connected to ${address}`)
