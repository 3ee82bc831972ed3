/** The parameters that `ast_grep` and `ast_edit` share. */
import { Type } from "@sinclair/typebox"

export const pathsParameter = Type.Array(Type.String(), {
  description:
    "Files, folders and globs such as src/**/*.ts; one that begins with ! takes files out. Relative paths start at the working directory. What .gitignore ignores is left out, unless the file or folder itself is named.",
  minItems: 1,
})

/** The paths that a call reads: those with ! only exclude files. */
export const namedPaths = (paths: ReadonlyArray<string>): Array<string> =>
  paths.filter((path) => !path.startsWith("!"))

export const langParameter = Type.Optional(
  Type.String({
    description:
      "typescript, tsx, javascript, css, html, python, rust or go. Default: by the extension of each file. For a folder it chooses its files; files that are named, or matched by a glob, are read as that language.",
  }),
)
