import { describe, expect, it } from "vitest"
import { getSettingsListTheme } from "../../../../src/custom-tools/stand-ins/themes.ts"
import { fuzzyFilter } from "../../../../src/custom-tools/stand-ins/tui/fuzzy.ts"
import { SelectList } from "../../../../src/custom-tools/stand-ins/tui/select-list.ts"
import { SettingsList } from "../../../../src/custom-tools/stand-ins/tui/settings-list.ts"
import { Text } from "../../../../src/custom-tools/stand-ins/tui/text.ts"

const up = "\x1b[A"
const down = "\x1b[B"
const enter = "\r"
const escape = "\x1b"

const itemsOf = (...values: Array<string>) => values.map((value) => ({ value, label: value.toUpperCase() }))

describe("SelectList", () => {
  const plain = (text: string) => text
  const theme = {
    selectedPrefix: plain,
    selectedText: plain,
    description: plain,
    scrollInfo: plain,
    noMatch: plain,
  }

  const make = (values: ReadonlyArray<string>, max = 5) => {
    const events: Array<string> = []
    const list = new SelectList(itemsOf(...values), max, theme)
    list.onSelect = ({ value }) => events.push(`selected ${value}`)
    list.onSelectionChange = ({ value }) => events.push(`at ${value}`)
    list.onCancel = () => events.push("cancelled")
    return { list, events }
  }

  it("moves with the arrows, past the ends too, and tells what was chosen", () => {
    const { list, events } = make(["a", "b", "c"])
    for (const key of [down, enter, up, up, escape]) list.handleInput(key)
    expect(events).toEqual(["at b", "selected b", "at a", "at c", "cancelled"])
    expect(list.render(20)).toEqual(["  A", "  B", "→ C"])
  })

  it("shows the rows around the selected one, and where it is", () => {
    const { list } = make(["a", "b", "c", "d", "e"], 3)
    list.setSelectedIndex(3)
    expect(list.render(20)).toEqual(["  C", "→ D", "  E", "  (4/5)"])
  })

  it("filters, and selects nothing where nothing is left", () => {
    const { list, events } = make(["apple", "pear"])
    list.setFilter("PE")
    expect(list.getSelectedItem()?.value).toBe("pear")
    list.setFilter("x")
    for (const key of [down, enter]) list.handleInput(key)
    expect(list.getSelectedItem()).toBeNull()
    expect(list.render(20)).toEqual(["  No matching items"])
    expect(events).toEqual([])
  })

  it("shows descriptions in a column, inside the width", () => {
    const items = [
      { value: "a", label: "a", description: "the\nfirst" },
      { value: "longer", label: "" },
    ]
    const list = new SelectList(items, 5, theme)
    expect(list.render(40)).toEqual(["→ a       the first", "  longer"])
    expect(list.render(9)).toEqual(["→ a   ...", "  longer"])
  })
})

describe("SettingsList", () => {
  const make = (options = {}) => {
    const events: Array<string> = []
    const items = [
      { id: "mode", label: "Mode", currentValue: "a", values: ["a", "b"], description: "How it goes" },
      {
        id: "key",
        label: "Key",
        currentValue: "k",
        submenu: (value: string, done: (value?: string) => void) => ({
          render: () => new Text(`sub ${value}`, 0, 0).render(20),
          handleInput: () => done("new"),
        }),
      },
    ]
    const onChange = (id: string, value: string) => events.push(`${id}=${value}`)
    const onCancel = () => events.push("cancelled")
    return { list: new SettingsList(items, 5, getSettingsListTheme(), onChange, onCancel, options), events }
  }

  it("takes the next value on Enter or Space", () => {
    const { list, events } = make()
    for (const key of [enter, " ", escape]) list.handleInput(key)
    expect(events).toEqual(["mode=b", "mode=a", "cancelled"])
    expect(list.render(30).slice(0, 4)).toEqual(["→ Mode  a", "  Key   k", "", "  How it goes"])
  })

  it("opens a component of its own until that is done", () => {
    const { list, events } = make()
    for (const key of [down, enter]) list.handleInput(key)
    expect(list.render(30)).toEqual(["sub k"])
    list.handleInput("x")
    expect(events).toEqual(["key=new"])
    expect(list.render(30)[1]).toBe("→ Key   new")
  })

  it("finds settings by what is typed", () => {
    const { list } = make({ enableSearch: true })
    for (const key of ["k", "y"]) list.handleInput(key)
    const lines = list.render(60)
    expect(lines[0]).toContain("> ky")
    expect(lines.slice(2, 3)).toEqual(["→ Key   k"])
    list.handleInput("z")
    expect(list.render(60)).toContain("  No matching settings")
  })

  it("shows a value that was changed from outside", () => {
    const { list } = make()
    list.updateValue("mode", "z")
    expect(list.render(30)[0]).toBe("→ Mode  z")
  })
})

describe("fuzzy search", () => {
  it("wants the letters in their order", () => {
    expect(fuzzyFilter(["acb", "a-b-c"], "abc", (item) => item)).toEqual(["a-b-c"])
  })

  it("gives the best first: whole, then close together, then far apart", () => {
    const found = fuzzyFilter(["oxpxexn", "reopened", "open"], "open", (item) => item)
    expect(found).toEqual(["open", "reopened", "oxpxexn"])
    expect(fuzzyFilter(["git status", "git push"], "git pu", (item) => item)).toEqual(["git push"])
  })
})
