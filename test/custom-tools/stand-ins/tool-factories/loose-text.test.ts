import { describe, expect, it } from "vitest"
import {
  exactText,
  fuzzyText,
  type LooseText,
} from "../../../../src/custom-tools/stand-ins/tool-factories/loose-text.ts"

/** Where each character of the text, and its end, stands in the original. */
const offsetsOf = ({ text, originalOffset }: LooseText): Array<number> =>
  Array.from({ length: text.length + 1 }, (_, offset) => originalOffset(offset))

describe("exactText", () => {
  it("is the original where that has no carriage return", () => {
    const exact = exactText("a\nb")
    expect([exact.text, offsetsOf(exact)]).toEqual(["a\nb", [0, 1, 2, 3]])
  })

  it("has LF for each kind of ending, and knows where each stood", () => {
    const exact = exactText("\r\na\nbc\rd\r\n\r\n")
    expect(exact.text).toBe("\na\nbc\nd\n\n")
    expect(offsetsOf(exact)).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 10, 12])
  })
})

describe("fuzzyText", () => {
  it("leaves out spaces at line ends, which belong to what is before them", () => {
    const fuzzy = fuzzyText("a  \r\nb \n c ")
    expect(fuzzy.text).toBe("a\nb\n c ")
    expect(offsetsOf(fuzzy)).toEqual([0, 3, 5, 7, 8, 9, 10, 11])
  })

  it("has a plain character for a longer one, and several for one", () => {
    const fuzzy = fuzzyText("“𝐀” ﬁx")
    expect(fuzzy.text).toBe('"A" fix')
    // Between the two letters of the ligature there is nothing to cut: what is behind the first is behind both.
    expect(offsetsOf(fuzzy)).toEqual([0, 1, 3, 4, 5, 6, 6, 7])
  })
})
