import { expect, test } from "vitest"
import { planMermaid, planText } from "../../src/cli/plan-drawing.ts"
import { pipeline, Step } from "../../src/index.ts"

const check = { name: "Check", call: () => Step.Continue }
const write = { name: "Write", call: () => Step.Continue }
const close = { name: "Close", call: () => Step.Continue }

const parts = pipeline()
  .finally(close)
  .andThen(check)
  .awaitApproval({ label: 'Write "it" <now>?' })
  .andThen(write)
  .describe()

test("a plan as text numbers its steps, marks its gates and puts finally last", () => {
  expect(planText(parts)).toEqual([
    "  1  Check",
    '  2  awaitApproval  ← a gate: Write "it" <now>?',
    "  3  Write",
    "     finally Close",
  ])
})

test("a plan as Mermaid goes from a denied gate to the cleanup", () => {
  expect(planMermaid('tool("a")', parts)).toEqual([
    "flowchart TD",
    '  start(["tool(#34;a#34;)"])',
    '  p0["Check"]',
    '  p1{"awaitApproval: Write #34;it#34; #60;now#62;?"}',
    '  p2["Write"]',
    '  p3[/"Close"/]',
    "  done([end])",
    "  start --> p0",
    "  p0 --> p1",
    "  p1 -->|approved| p2",
    "  p1 -->|denied| p3",
    "  p2 --> p3",
    "  p3 --> done",
  ])
})

test("a preview in a plan is applied or discarded, not approved or denied", () => {
  const preview = pipeline().awaitResolve({ label: "Rename" }).andThen(write).describe()
  expect(planText(preview)).toEqual(["  1  awaitResolve  ← a gate: Rename", "  2  Write"])
  expect(planMermaid("tool", preview)).toEqual(
    expect.arrayContaining(["  p0 -->|applied| p1", "  p0 -->|discarded| done"]),
  )
})

test("an empty plan goes from start to end", () => {
  expect(planMermaid("nothing", [])).toEqual([
    "flowchart TD",
    '  start(["nothing"])',
    "  done([end])",
    "  start --> done",
  ])
  expect(planText([])).toEqual([])
})
