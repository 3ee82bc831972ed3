import { got } from "../../model/got.ts"

/** Throws a TypeError for a value that cannot build servers, such as the executor. */
export const expectBuild = (build: unknown): void => {
  if (typeof build === "function") return
  throw new TypeError(`Expected the \`build\` that \`mcpServer\` gives, ${got(build)}`)
}
