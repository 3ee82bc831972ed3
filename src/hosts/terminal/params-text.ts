/** A call's parameters as a text to edit. */

import type { Tool } from "../../model/tool.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { shownJson } from "../shown-json.ts"
import { entriesOf } from "./render-header.ts"

export interface ParamsText {
  readonly text: string
  /** Describes the text. */
  readonly title: string
  /** A file name that tells an editor the kind of text. */
  readonly fileName: string
  /** Whether the text needs an external editor. */
  readonly isLong: boolean
  /** Returns the parameters of an edited text; a sentence if it is invalid. */
  read(edited: string): Record<string, unknown> | string
}

const maxLines = 8
const maxLength = 800

const isLong = (text: string): boolean => text.length > maxLength || text.split("\n").length > maxLines

/** A single text is edited as it is; anything else as JSON. */
export const paramsText = (params: unknown, tool: Tool<unknown> | undefined): ParamsText => {
  const [only, ...others] = entriesOf(params)
  if (only !== undefined && others.length === 0 && typeof only[1] === "string") {
    const [name, text] = only
    return {
      text,
      title: `The ${name}:`,
      fileName: tool?.primaryKind === "command" ? "command.sh" : "text.txt",
      isLong: isLong(text),
      read: (edited) => ({ [name]: text.endsWith("\n") ? edited : edited.replace(/\n$/, "") }),
    }
  }
  const text = shownJson(params, 2)
  return {
    text,
    title: "The parameters as JSON:",
    fileName: "parameters.json",
    isLong: isLong(text),
    read(edited) {
      try {
        const value: unknown = JSON.parse(edited)
        return isPlainObject(value) ? value : "The parameters are a JSON object. Put braces around them."
      } catch (error) {
        return `That is no JSON: ${(error as Error).message}`
      }
    },
  }
}
