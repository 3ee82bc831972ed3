/** Handlers that ask the host's editor. Paths are sent as absolute: an editor does not know the executor's folder. */
import { resolve } from "node:path"
import { type EffectHandler, handler } from "../model/handler.ts"
import type { TextEdit } from "../model/host-effect.ts"
import { Step } from "../model/step.ts"
import type { FileChange } from "./file-change.ts"

/** Opens a file; `line` and `column` are 1-based. */
export const IdeOpen = (target: {
  readonly path: string
  readonly line?: number
  readonly column?: number
}): EffectHandler =>
  handler("IdeOpen", ({ cwd }) =>
    Step.Delegate({ _tag: "IdeOpen", ...target, path: resolve(cwd, target.path) }),
  )

/** Shows a file that would be created. */
export const IdeShowPreview = ({
  path,
  content,
}: {
  readonly path: string
  readonly content: string
}): EffectHandler =>
  handler("IdeShowPreview", ({ cwd }) =>
    Step.Delegate({ _tag: "IdeShowPreview", preview: { path: resolve(cwd, path), content } }),
  )

/** Shows what edits would change in a file. */
export const IdeShowDiffPreview = ({
  path,
  edits,
}: {
  readonly path: string
  readonly edits: ReadonlyArray<TextEdit>
}): EffectHandler =>
  handler("IdeShowDiffPreview", ({ cwd }) =>
    Step.Delegate({ _tag: "IdeShowDiffPreview", path: resolve(cwd, path), edits }),
  )

/** Makes the editor reload a file; with a `change`, only if the file was written. */
export const IdeReloadBuffer = ({
  path,
  change,
}: {
  readonly path: string
  readonly change?: FileChange
}): EffectHandler =>
  handler("IdeReloadBuffer", ({ cwd, memory }) =>
    change?.isWritten(memory) === false
      ? Step.Continue
      : Step.Delegate({ _tag: "IdeReloadBuffer", path: resolve(cwd, path) }),
  )

/** Closes the preview that the call opened. */
export const IdeClosePreview = (): EffectHandler => {
  const step = Step.Delegate({ _tag: "IdeClosePreview" })
  return handler("IdeClosePreview", () => step)
}

/** Stops the call if the editor has unsaved changes of the file: the host then fails the effect with a reason. */
export const ValidateNoUnsavedEdits = ({ path }: { readonly path: string }): EffectHandler =>
  handler("ValidateNoUnsavedEdits", ({ cwd }) =>
    Step.Delegate({ _tag: "IdeCheckUnsavedEdits", path: resolve(cwd, path) }),
  )
