/** Answers for hosts without an editor: every Ide effect succeeds with nothing. */
import type { Delegates } from "./options.ts"

const nothing = () => undefined

/** Functions for `delegates` that answer every Ide effect with nothing. */
export const noIde = {
  IdeOpen: nothing,
  IdeShowPreview: nothing,
  IdeShowDiffPreview: nothing,
  IdeReloadBuffer: nothing,
  IdeClosePreview: nothing,
  IdeCheckUnsavedEdits: nothing,
} satisfies Delegates
