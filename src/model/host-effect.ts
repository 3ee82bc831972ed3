/** The effects that a pipeline can ask of its host with `Step.Delegate`. A host's own effects are objects with any `_tag`. */

/** One replacement in a text: `old_string` occurs in the text exactly once. */
export interface TextEdit {
  readonly old_string: string
  readonly new_string: string
}

/** The content that a file would have, shown before it is written. The path is absolute. */
export interface Preview {
  readonly path: string
  readonly content: string
}

/** The effects that built-in tools ask for. Paths are absolute; `line` and `column` count from 1. */
export type BuiltInEffect =
  | { readonly _tag: "IdeOpen"; readonly path: string; readonly line?: number; readonly column?: number }
  | { readonly _tag: "IdeShowPreview"; readonly preview: Preview }
  | { readonly _tag: "IdeShowDiffPreview"; readonly path: string; readonly edits: ReadonlyArray<TextEdit> }
  | { readonly _tag: "IdeReloadBuffer"; readonly path: string }
  | { readonly _tag: "IdeClosePreview" }
  | { readonly _tag: "IdeCheckUnsavedEdits"; readonly path: string }
  | { readonly _tag: "SpawnAgent"; readonly task: string; readonly label?: string; readonly context?: string }
  | { readonly _tag: "ListAgents" }
  | { readonly _tag: "GetAgent"; readonly label: string }
  | { readonly _tag: "ListBackgroundTasks" }
  | { readonly _tag: "GetBackgroundTask"; readonly taskId: string }
  /** `seconds`: default 30. */
  | { readonly _tag: "WaitBackgroundTask"; readonly taskId: string; readonly seconds?: number }
  | { readonly _tag: "ReadBackgroundOutput"; readonly taskId: string }
  | { readonly _tag: "CancelBackgroundTask"; readonly taskId: string }

/** A host's own effect. */
export interface CustomEffect {
  readonly _tag: string
  readonly [key: string]: unknown
}

/** An effect that a host can be asked for: a built-in effect, or one of its own. */
export type HostEffect = BuiltInEffect | CustomEffect

/** The built-in effect with this tag; for a host's own tag, the custom effect. */
export type EffectOf<Tag extends string> =
  Extract<BuiltInEffect, { readonly _tag: Tag }> extends never
    ? CustomEffect
    : Extract<BuiltInEffect, { readonly _tag: Tag }>
