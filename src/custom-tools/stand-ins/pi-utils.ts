/** oh-my-pi's `pi-utils`: the few functions that tools use. */
import { fileLogger } from "../file-logger.ts"

export { isPlainObject as isRecord } from "../../schema/plain-object.ts"
export { getOmpAgentDir as getAgentDir } from "./agent-folder.ts"
export { parseFrontmatter } from "./frontmatter.ts"

export const logger = fileLogger()

const hasCode =
  (code: string) =>
  (error: unknown): boolean =>
    (error as NodeJS.ErrnoException | null | undefined)?.code === code

export const isEnoent = hasCode("ENOENT")
export const isEacces = hasCode("EACCES")
export const isEexist = hasCode("EEXIST")
