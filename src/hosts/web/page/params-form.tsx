/** A form for parameters: a field for each property, or all of them as JSON. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { readJson } from "./read-json.ts"
import { type Field, fieldsOf, typedOf, valueOf } from "./schema-fields.ts"
import { visibleLine } from "./texts.tsx"

type Typed = Readonly<Record<string, string>>

const rowsFor = (text: string): number => Math.min(16, Math.max(1, text.split("\n").length))

const Input = (props: {
  readonly field: Field
  readonly typed: string
  readonly id: string
  readonly set: (typed: string) => void
}) => {
  const { field, typed, id, set } = props
  const { kind, choices, isRequired } = field
  if (kind === "choice" || kind === "boolean") {
    const values = kind === "boolean" ? [true, false] : choices
    return (
      <select id={id} value={typed} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {isRequired && typed !== "" ? undefined : <option value="" />}
        {values.map((value) => {
          const text = JSON.stringify(value)
          return (
            <option key={text} value={text}>
              {typeof value === "string" ? visibleLine(value) : text}
            </option>
          )
        })}
      </select>
    )
  }
  if (kind === "number") {
    return (
      <input
        id={id}
        type="text"
        inputMode="decimal"
        class="code"
        value={typed}
        // Enter in a field would press the button, and must not approve a gate.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    )
  }
  return (
    <textarea
      id={id}
      class="code"
      rows={rowsFor(typed)}
      spellcheck={false}
      value={typed}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}

let forms = 0

/** Returns the entered parameters. */
export const ParamsForm = (props: {
  readonly schema: unknown
  readonly json: string
  readonly action: string
  /** Whether nothing can be sent now. */
  readonly isOff: boolean
  readonly submit: (params: unknown) => void
  readonly back?: () => void
}) => {
  const { schema, json, action, submit, back } = props
  const form = useRef<HTMLFormElement>(null)
  const [id] = useState(() => `form-${++forms}`)
  const value = readJson(json)
  const fields = fieldsOf(schema, value)
  const [isJson, setJson] = useState(fields === undefined)
  const [text, setText] = useState(json)
  const [typed, setTyped] = useState<Typed>(() =>
    Object.fromEntries(
      (fields ?? []).map(({ name, kind }) => [name, typedOf(kind, (value as Record<string, unknown>)[name])]),
    ),
  )
  const [problem, setProblem] = useState("")
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>("textarea, input, select")?.focus(), [])
  const read = (): unknown => {
    if (isJson || fields === undefined) {
      const params: unknown = JSON.parse(text)
      if (typeof params !== "object" || params === null) throw new Error("The parameters are a JSON object.")
      return params
    }
    const entries = fields.flatMap((field) => {
      const given = valueOf(field, typed[field.name] ?? "")
      return given === "left" ? [] : [[field.name, given.value] as const]
    })
    return Object.fromEntries(entries)
  }
  const tryTo = (use: (params: unknown) => void) => {
    try {
      use(read())
      setProblem("")
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const toJson = () =>
    tryTo((params) => {
      setText(JSON.stringify(params, undefined, 2))
      setJson(true)
    })
  return (
    <form
      class="params-form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        tryTo(submit)
      }}
    >
      {isJson || fields === undefined ? (
        <textarea
          class="code"
          aria-label="Parameters as JSON"
          rows={Math.max(4, rowsFor(text))}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      ) : (
        fields.map((field) => (
          <div class="field" key={field.name}>
            <label for={`${id}-${field.name}`}>
              {visibleLine(field.name)}
              {field.isRequired ? undefined : <span class="optional"> optional</span>}
            </label>
            <Input
              field={field}
              id={`${id}-${field.name}`}
              typed={typed[field.name] ?? ""}
              set={(next) => setTyped({ ...typed, [field.name]: next })}
            />
            {field.description === undefined ? undefined : (
              <p class="hint">{visibleLine(field.description)}</p>
            )}
          </div>
        ))
      )}
      {problem === "" ? undefined : (
        <p class="warn" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        <button type="submit" class="good" disabled={props.isOff}>
          {action}
        </button>
        {isJson ? undefined : (
          <button type="button" onClick={toJson}>
            As JSON
          </button>
        )}
        <span class="grow" />
        {back === undefined ? undefined : (
          <button type="button" onClick={back}>
            Back
          </button>
        )}
      </div>
    </form>
  )
}
