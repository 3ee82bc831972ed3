/** A pipeline's parts as text for people, or as a Mermaid flowchart. */
import type { PartDescription } from "../model/pipeline.ts"

const split = (parts: ReadonlyArray<PartDescription>) => ({
  steps: parts.filter((part) => part.kind !== "finally"),
  cleanup: parts.filter((part) => part.kind === "finally"),
})

const isGate = (part: PartDescription): boolean => part.kind !== "handler" && part.kind !== "finally"

export const planText = (parts: ReadonlyArray<PartDescription>): Array<string> => {
  const { steps, cleanup } = split(parts)
  const width = String(steps.length).length
  return [
    ...steps.map((part, index) => {
      const label = part.label === undefined ? "" : `: ${part.label}`
      const gate = isGate(part) ? `  ← a gate${label}` : ""
      return `  ${String(index + 1).padStart(width)}  ${part.name}${gate}`
    }),
    ...cleanup.map((part) => `  ${" ".repeat(width)}  finally ${part.name}`),
  ]
}

const mermaidText = (text: string): string =>
  `"${text.replace(/[#"<>&]/g, (character) => `#${character.charCodeAt(0)};`).replace(/\s+/g, " ")}"`

/** A gate branches: a denied or discarded call continues with the cleanup. */
export const planMermaid = (title: string, parts: ReadonlyArray<PartDescription>): Array<string> => {
  const { steps, cleanup } = split(parts)
  const nodes = [...steps, ...cleanup].map((part, index) => {
    const text = mermaidText(part.label === undefined ? part.name : `${part.name}: ${part.label}`)
    const shape = isGate(part) ? `{${text}}` : part.kind === "finally" ? `[/${text}/]` : `[${text}]`
    return { id: `p${index}`, part, shape }
  })
  const afterSteps = cleanup.length > 0 ? `p${steps.length}` : "done"
  const next = (index: number): string => nodes[index + 1]?.id ?? "done"
  return [
    "flowchart TD",
    `  start([${mermaidText(title)}])`,
    ...nodes.map(({ id, shape }) => `  ${id}${shape}`),
    "  done([end])",
    `  start --> ${nodes[0]?.id ?? "done"}`,
    ...nodes.flatMap(({ id, part }, index) => {
      if (!isGate(part)) return [`  ${id} --> ${next(index)}`]
      const [yes, no] = part.kind === "resolve" ? ["applied", "discarded"] : ["approved", "denied"]
      return [`  ${id} -->|${yes}| ${next(index)}`, `  ${id} -->|${no}| ${afterSteps}`]
    }),
  ]
}
