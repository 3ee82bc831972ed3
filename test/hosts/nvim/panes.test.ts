import { writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { panesOfEdits, panesOfNew } from "../../../src/hosts/nvim/panes.ts"
import { useTempFolder } from "../../io/temp-folder.ts"

const path = useTempFolder()

const mebibyte = 2 ** 20
/** Two bytes a character. */
const text = (bytes: number): string => "é".repeat(bytes / 2)

describe("a preview of at most 4 MiB of UTF-8", () => {
  it("shows a new file, and nothing where that is longer", () => {
    expect(panesOfNew(text(4 * mebibyte))).toMatchObject([{ label: "new" }])
    expect(panesOfNew(text(4 * mebibyte + 2))).toBeUndefined()
  })

  it("shows what an editor would hide, and tabs as it draws them", () => {
    expect(panesOfNew("\ta\u202e\u200bb\r\n\u001b[2J \n")).toEqual([
      { label: "new", lines: ["\ta⟦U+202E⟧⟦U+200B⟧b", "⟦ESC⟧[2J␣"] },
    ])
  })

  it("shows what edits change, and nothing where the file is longer, or would be", async () => {
    const file = path("a.txt")
    const edit = (new_string: string) => panesOfEdits(file, [{ old_string: "here", new_string }])
    await writeFile(file, "here\n")
    expect(await edit("there")).toMatchObject([{ lines: ["here"] }, { lines: ["there"] }])
    expect(await edit(text(4 * mebibyte))).toBeUndefined()
    await writeFile(file, `here${text(4 * mebibyte)}`)
    expect(await edit("there")).toBeUndefined()
  })
})
