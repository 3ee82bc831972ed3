/** Untrusted texts: whole, and with marks for invisible characters. */
import { isPlainObject } from "../../../schema/plain-object.ts"
import { type CodePart, fencedParts } from "../../../text/code-parts.ts"
import { visibleText } from "../../../text/visible-text.ts"
import type { CallRow } from "../state/page-state.ts"
import { readJson } from "./read-json.ts"

/** A text on one line, such as a title. */
export const visibleLine = (text: string): string => visibleText(text, { singleLine: true })

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "")

/** A call on one line: its name, unless the title begins with it, and its title. */
export const callLabel = ({ name, title, parentId }: Pick<CallRow, "name" | "title" | "parentId">): string =>
  (parentId === undefined ? "" : "↳ ") +
  visibleLine(plain(title).startsWith(plain(name)) ? title : `${name}  ${title}`)

/** The argument of a call: its title, without the tool's name at the beginning. */
export const argumentOf = ({ name, title }: Pick<CallRow, "name" | "title">): string => {
  const [head = "", ...rest] = title.split(": ")
  if (plain(head) !== plain(name)) return title === name ? "" : title
  return rest.join(": ")
}

/** A sentence for people on one line, such as the question of a dialog. */
export const visibleSentence = (text: string): string => visibleText(text, { singleLine: true, prose: true })

/** A text for people, with its lines. */
export const Sentences = ({ text }: { readonly text: string }) => (
  <pre class="said">{visibleText(text, { prose: true })}</pre>
)

/** An untrusted text, unchanged. */
export const Said = ({ text }: { readonly text: string }) => <pre class="said">{visibleText(text)}</pre>

/** What a tool shows at its gate: code with its parts told apart by their colours. */
export const Preview = ({ text }: { readonly text: string }) => {
  const shown = visibleText(text)
  const parts: ReadonlyArray<CodePart> = fencedParts(shown) ?? [{ text: shown }]
  return (
    <pre class="said">
      {parts.map(({ text, kind }, index) =>
        kind === undefined ? (
          text
        ) : (
          <span key={index} class={`code-${kind}`}>
            {text}
          </span>
        ),
      )}
    </pre>
  )
}

/** The output of a tool, without colours, which no decision depends on. */
export const Output = ({ text }: { readonly text: string }) => (
  <Said text={text.replaceAll("\r\n", "\n").replace(/\u001b\[[\d;:]*m/g, "")} />
)

const kindOf = (line: string): string => {
  if (line.startsWith("@@")) return "hunk"
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ")) return "file"
  if (line.startsWith("+")) return "added"
  return line.startsWith("-") ? "removed" : "same"
}

/** A unified diff. Its `+` and `-` are kept, so that it can be read without colours. */
export const Diff = ({ text }: { readonly text: string }) => (
  <pre class="diff">
    {text
      .replace(/\n$/, "")
      .split("\n")
      .map((line, index) => (
        <span key={index} class={kindOf(line)}>
          {line.slice(0, 1) + visibleText(line.slice(1))}
        </span>
      ))}
  </pre>
)

const shown = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "")

/** A text that could be mistaken for a value of another type is quoted. */
const isAmbiguous = (text: string): boolean => /^$|^\s|^["[{]|^-?\d|^(?:true|false|null)$/.test(text)

const Param = ({ name, value }: { readonly name: string; readonly value: unknown }) => {
  const text =
    typeof value === "string" && isAmbiguous(value) && !value.includes("\n")
      ? JSON.stringify(value)
      : shown(value)
  return (
    <>
      <dt>{visibleLine(name)}</dt>
      <dd>
        <Said text={text} />
      </dd>
    </>
  )
}

const noNames: ReadonlyArray<string> = []

/** Parameters, each under its name; the folded ones when they are opened. */
export const Params = (props: { readonly json: string; readonly folded?: ReadonlyArray<string> }) => {
  const { json, folded = noNames } = props
  const value = readJson(json)
  if (!isPlainObject(value)) return <Said text={json} />
  const entries = Object.entries(value)
  if (entries.length === 0) return <p class="none">No parameters.</p>
  const list = (shown: typeof entries) => (
    <dl class="params">
      {shown.map(([name, each]) => (
        <Param key={name} name={name} value={each} />
      ))}
    </dl>
  )
  const behind = entries.filter(([name]) => folded.includes(name))
  return (
    <>
      {behind.length < entries.length ? list(entries.filter(([name]) => !folded.includes(name))) : undefined}
      {behind.length === 0 ? undefined : (
        <details>
          <summary>{visibleLine(behind.map(([name]) => name).join(", "))}, as the diff tells</summary>
          {list(behind)}
        </details>
      )}
    </>
  )
}
