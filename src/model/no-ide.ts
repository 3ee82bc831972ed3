/** Answers for hosts without an editor: every Ide effect succeeds without output. */
import type { Delegates } from "./options.ts"

const nothing = () => undefined

/** Functions for `delegates` that answer every Ide effect without output. */
export const noIde = {
  IdeOpen: nothing,
  IdeShowPreview: nothing,
  IdeShowDiffPreview: nothing,
  IdeReloadBuffer: nothing,
  IdeClosePreview: nothing,
  IdeCheckUnsavedEdits: nothing,
} satisfies Delegates
