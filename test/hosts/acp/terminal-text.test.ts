import { describe, expect, it } from "vitest"
import { TerminalText } from "../../../src/hosts/acp/terminal-text.ts"

const read = (...outputs: ReadonlyArray<string>): Array<string> => {
  const text = new TerminalText()
  return outputs.map((output, index) => text.next(output, index === outputs.length - 1))
}

describe("the text of a terminal", () => {
  it("is given once", () => {
    expect(read("one\n", "one\n", "one\ntwo\n")).toEqual(["one\n", "", "two\n"])
  })

  it("goes on where the terminal has dropped its start", () => {
    expect(read("one\ntwo\nthree\n", "two\nthree\nfour\n")).toEqual(["one\ntwo\nthree\n", "four\n"])
    expect(read("aaaa", "aab")).toEqual(["aaaa", "b"])
  })

  it("says so where more was dropped than it had seen", () => {
    expect(read("one\n", "seven\n")).toEqual([
      "one\n",
      "\n[output was lost here: it came faster than the client's terminal could be read]\nseven\n",
    ])
  })

  it("has no colours, and line ends of one character, wherever it is cut", () => {
    const whole = "\u001b[1;31mred\u001b[0m\r\nnext\u001b]0;title\u0007\r\n"
    const cuts = Array.from({ length: whole.length + 1 }, (_, length) => whole.slice(0, length))
    expect(read(...cuts).join("")).toBe("red\nnext\n")
  })

  it("keeps at the end what is unfinished", () => {
    expect(read("50%\r", "50%\r")).toEqual(["50%", "\r"])
  })
})
