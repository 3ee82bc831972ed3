/** A call by a person: a tool, and a form for its parameters. It passes the same gates as any other. */
import { useRef, useState } from "preact/hooks"
import type { ToolDetail } from "../state/detail.ts"
import { ParamsForm } from "./params-form.tsx"
import type { Source } from "./source.ts"

/** The dialog below the page's head. */
export const Caller = ({ source }: { readonly source: Source }) => {
  const [tools, setTools] = useState<ReadonlyArray<ToolDetail>>([])
  const [name, setName] = useState("")
  const [said, setSaid] = useState("")
  const dialog = useRef<HTMLDialogElement>(null)
  // Tools can have been added since.
  const open = () => {
    void source.tools().then(setTools)
    dialog.current?.showModal()
  }
  const isOff = source.connection !== "live"
  const tool = tools.find((each) => each.name === name) ?? tools[0]
  const isCalling = useRef(false)
  const call = async (params: unknown) => {
    // The second of two quick clicks makes no second call.
    if (isCalling.current) return
    isCalling.current = true
    try {
      await source.ask("call", { name: tool!.name, params })
      setSaid("")
      dialog.current?.close()
    } catch (error) {
      setSaid((error as Error).message)
    }
    isCalling.current = false
  }
  return (
    <>
      <button type="button" class="call" disabled={isOff} onClick={open}>
        Call a tool
      </button>
      <dialog ref={dialog} aria-label="Call a tool">
        <div class="field">
          <label for="tool">Tool</label>
          <select id="tool" value={tool?.name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
            {tools.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </select>
          <p class="hint">{tool?.description}</p>
        </div>
        {tool === undefined ? undefined : (
          <ParamsForm
            key={tool.name}
            schema={tool.schema}
            json="{}"
            action="Run"
            isOff={isOff}
            submit={call}
            back={() => dialog.current?.close()}
          />
        )}
        <p class="warn" role="status">
          {said}
        </p>
      </dialog>
    </>
  )
}
