/** A process that replaces the content of a file: its path, and the new content. It prints the code of a failure. */
import { localFiles } from "../../src/io/files.ts"

const [path, content] = process.argv.slice(2) as [string, string]
await localFiles.replace(path, Buffer.from(content)).catch((cause: NodeJS.ErrnoException) => {
  process.stdout.write(String(cause.code))
})
