import { describe, expect, it } from "vitest"
import { publishedModule } from "../published-module.ts"

const { DynamicBorder } = await publishedModule("@mariozechner/pi-coding-agent")

const { Box, Container, Spacer, Text } = await publishedModule("@mariozechner/pi-tui")

const marked = (line: string): string => `<${line}>`

describe("Text", () => {
  it("wraps inside its margins", () => {
    expect(new Text("one two three", 1, 1).render(9)).toEqual(["", " one two", " three", ""])
    expect(new Text("a\tb", 0, 0).render(9)).toEqual(["a   b"])
  })

  it("fills its background", () => {
    expect(new Text("ab", 1, 1, marked).render(5)).toEqual(["<     >", "< ab  >", "<     >"])
  })

  it("draws nothing where it is blank, and what it is given later", () => {
    const text = new Text("  \n")
    expect(text.render(9)).toEqual([])
    text.setText("now")
    expect(text.render(9)).toEqual(["", " now", ""])
  })
})

describe("containers", () => {
  it("draw their children one below the other", () => {
    const container = new Container()
    const spacer = new Spacer(2)
    for (const child of [new Text("a", 0, 0), spacer, new Text("b", 0, 0)]) container.addChild(child)
    expect(container.render(9)).toEqual(["a", "", "", "b"])
    container.removeChild(spacer)
    expect(container.render(9)).toEqual(["a", "b"])
    container.clear()
    expect(container.render(9)).toEqual([])
  })

  it("tell their children to draw anew", () => {
    let told = 0
    const container = new Container()
    container.addChild({ render: () => [], invalidate: () => told++ })
    container.addChild({ render: () => [] })
    container.invalidate()
    expect(told).toBe(1)
  })

  it("give a Box its margins and its background, and none where it is empty", () => {
    const box = new Box(2, 1, marked)
    expect(box.render(9)).toEqual([])
    box.addChild(new Text("one two", 0, 0))
    expect(box.render(8)).toEqual(["<        >", "<  one   >", "<  two   >", "<        >"])
    box.setBgFn()
    expect(box.render(8)).toEqual(["", "  one", "  two", ""])
  })
})

it("draws a border from edge to edge", () => {
  expect(new DynamicBorder(marked).render(3)).toEqual(["<───>"])
})
