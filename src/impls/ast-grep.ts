/**
 * ast_grep
 *
 *   SearchStructure ─▶ matches by file, with their lines
 *          └─ streams its progress
 *
 * Changes nothing, so it has no gate; filters may still deny it.
 */
import { Type } from "@sinclair/typebox"
import { SearchStructure } from "../handlers/structural-search.ts"
import { type Files, localFiles } from "../io/files.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"
import type { GrammarSource } from "../structural/grammar.ts"
import { installedGrammars } from "../structural/installed-grammars.ts"
import { langParameter, namedPaths, pathsParameter } from "./structural-parameters.ts"

const parameters = Type.Object({
  pattern: Type.String({
    description:
      "The code to look for, such as logger.debug($$$ARGS): one complete expression, statement or declaration. $X stands for one node, $$$X for any number.",
  }),
  paths: pathsParameter,
  lang: langParameter,
})

/** `ast_grep` for the files of a machine. */
export const makeAstGrepTool = (
  { files }: { readonly files: Files },
  grammars: GrammarSource = installedGrammars,
) => {
  const structure = { files, grammars }
  return defineTool({
    name: "ast_grep",
    label: "Structural search",
    description:
      "Finds code by its structure, not by its text: white space and comments do not matter. Knows TypeScript, TSX, JavaScript, CSS, HTML, Python, Rust and Go.",
    parameters,
    paths: ({ paths }) => namedPaths(paths),
    kind: "search",
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    compose: ({ pattern, paths, lang }) =>
      pipeline().andThen(SearchStructure({ pattern, paths, lang }, structure)),
  })
}

/** `ast_grep`: finds code by its structure. */
export const astGrepTool = makeAstGrepTool({ files: localFiles })
