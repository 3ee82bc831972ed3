/**
 * ast_edit
 *
 *   PreviewReplacements ─▶ (resolve: apply or discard, later) ─▶ (approval) ─▶ ApplyReplacements ─▶ "Replaced 3 matches in 2 files."
 *          └─ streams its progress
 *
 * The model applies the preview; then rules decide on the found files, or the host, which sees the preview. With dry_run the
 * call ends with the preview. If nothing matches, the preview fails, and nothing is pending.
 */
import { Type } from "@sinclair/typebox"
import { ApplyReplacements } from "../handlers/structural-apply.ts"
import { plannedPaths, ReplacementPlan, type StructuralOp } from "../handlers/structural-ops.ts"
import { PreviewReplacements } from "../handlers/structural-preview.ts"
import { named, shortCode } from "../handlers/structural-report.ts"
import { type Files, localFiles } from "../io/files.ts"
import { got } from "../model/got.ts"
import { handler } from "../model/handler.ts"
import { pipeline } from "../model/pipeline.ts"
import { Step } from "../model/step.ts"
import { defineTool } from "../model/tool.ts"
import { installedGrammars } from "../structural/installed-grammars.ts"
import { langParameter, namedPaths, pathsParameter } from "./structural-parameters.ts"

const parameters = Type.Object({
  ops: Type.Array(
    Type.Object({
      pattern: Type.String({
        description:
          "The code to replace: one complete expression, statement or declaration. $X stands for one node, $$$X for any number.",
      }),
      replacement: Type.String({
        description: "The code to put in its place, with the metavariables of the pattern.",
      }),
    }),
    { description: "The replacements, in order; each one sees what the earlier ones left.", minItems: 1 },
  ),
  paths: pathsParameter,
  lang: langParameter,
  dry_run: Type.Optional(
    Type.Boolean({
      description: "Only show what would change; nothing waits to be applied. Default: false.",
    }),
  ),
})

/** The pending change, in a few words. */
const labelOf = (ops: ReadonlyArray<StructuralOp>, paths: ReadonlyArray<string>): string => {
  const [first] = ops
  const what =
    ops.length === 1 && first !== undefined
      ? `Replace ${shortCode(first.pattern)} with ${shortCode(first.replacement) || "nothing"}`
      : `Make ${ops.length} structural replacements`
  return paths.length === 1 && paths[0] === "." ? what : `${what} in ${shortCode(named(paths))}`
}

const sayDryRun = handler("SayDryRun", ({ output }) => {
  const text = "Dry run: nothing is changed, and nothing waits to be applied."
  return Step.Output({ ...output, content: [...(output?.content ?? []), { type: "text", text }] })
})

export interface AstEditToolOptions {
  /**
   * Who decides on a preview. `"host"`, the default: once the model has applied it, it passes a gate, as any other change:
   * rules for `ast_edit`, reviewers, the host. `"model"`: the model alone; files are written without a question.
   */
  readonly approval?: "host" | "model"
}

/** `ast_edit` for the files of a machine. Throws a TypeError for any other `approval`. */
export const makeAstEditTool = (
  { files }: { readonly files: Files },
  { approval = "host" }: AstEditToolOptions = {},
) => {
  if (approval !== "host" && approval !== "model")
    throw new TypeError(
      `Expected \`approval\` of \`makeAstEditTool\` to be "host" or "model", ${got(approval)}`,
    )
  const structure = { files, grammars: installedGrammars }
  return defineTool({
    name: "ast_edit",
    label: "Structural edit",
    description:
      "Replaces code by its structure in many files at once. It shows a diff and changes nothing; call resolve to apply or discard what it shows. Knows TypeScript, TSX, JavaScript, CSS, HTML, Python, Rust and Go. Find the pattern with ast_grep first.",
    parameters,
    paths: ({ paths }, memory) => plannedPaths(memory) ?? namedPaths(paths),
    kind: "edit",
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    compose: ({ ops, paths, lang, dry_run }) => {
      const options = { ops, paths, lang, plan: new ReplacementPlan() }
      const preview = pipeline().andThen(PreviewReplacements(options, structure))
      if (dry_run === true) return preview.andThen(sayDryRun)
      const label = labelOf(ops, paths)
      const applied = preview.awaitResolve({ label, details: { ops, paths } })
      const decided = approval === "model" ? applied : applied.awaitApproval({ label })
      return decided.andThen(ApplyReplacements(options, structure))
    },
    renderCall: ({ ops, paths }) => labelOf(ops, paths),
  })
}

/** `ast_edit`: replaces code by its structure, as a preview to be applied later. */
export const astEditTool = makeAstEditTool({ files: localFiles })
