/** The executor's option `undo`: how much is kept, so that changes can be undone. */
import { toMillis } from "../model/duration.ts"
import { expectFlag, expectKnown, got, toCount } from "../model/got.ts"
import type { DurationInput } from "../model/step.ts"

/** How much is kept for `undo`. */
export interface UndoOptions {
  /** Bytes of former contents, each kept once. Default 200 MB. */
  readonly maxBytes?: number | undefined
  /** Default `"30 days"`. */
  readonly maxAge?: DurationInput | undefined
  /**
   * Whether the working directory is listed before and after each command, to find the paths that the command changed.
   * Former contents remain unknown: creations can be undone, the other changes are only named. Takes about a second in a
   * tree of 20,000 files. Default false.
   */
  readonly watch?: boolean | undefined
  /**
   * Whether a file is left alone if its former content cannot be kept, for example because the disk is full: the call ends as an Error.
   * Default false: the file is changed, and `undo` says why the change stays.
   */
  readonly required?: boolean | undefined
}

/** The parsed options, in bytes and milliseconds. */
export interface UndoBounds {
  readonly maxBytes: number
  readonly maxAge: number
  readonly watch?: boolean
  readonly required?: boolean
}

const defaultBounds: UndoBounds = {
  maxBytes: 200 * 1000 * 1000,
  maxAge: 30 * 24 * 60 * 60 * 1000,
}

/** Parses the option; undefined if nothing is kept. Throws a TypeError for anything but options or false. */
export const toUndoBounds = (options: UndoOptions | false | undefined): UndoBounds | undefined => {
  if (options === false) return undefined
  if (options === undefined || options === null) return defaultBounds
  if (typeof options !== "object")
    throw new TypeError(
      `Expected \`undo\` to be an object with maxBytes, maxAge, watch, required, or false, ${got(options)}`,
    )
  expectFlag("watch", options.watch, " of `undo`")
  expectFlag("required", options.required, " of `undo`")
  expectKnown("`undo`", options, ["maxBytes", "maxAge", "watch", "required"])
  return {
    maxBytes: toCount("maxBytes", options.maxBytes, defaultBounds.maxBytes, " of `undo`"),
    maxAge: toMillis("undo.maxAge", options.maxAge, defaultBounds.maxAge),
    ...(options.watch === true && { watch: true }),
    ...(options.required === true && { required: true }),
  }
}
