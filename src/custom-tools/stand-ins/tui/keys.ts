/** What a terminal sends for a key, by name: `up`, `ctrl+c`, `shift+tab`. Reads the old sequences and kitty's protocol. */
import { modifierNames } from "./key-names.ts"

/** How the protocols number modifiers, less one; Caps Lock and Num Lock come above. */
const modifierBits = { shift: 1, alt: 2, ctrl: 4, super: 8 } as const

const finalLetters: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "clear",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
}

const tildeNumbers: Readonly<Record<string, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageUp",
  6: "pageDown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
}

const keypad = "0123456789./*-+\r=,"
const keypadMoves = ["left", "right", "up", "down", "pageUp", "pageDown", "home", "end", "insert", "delete"]

const namedCharacters: Readonly<Record<string, string>> = {
  "\x1b": "escape",
  "\t": "tab",
  "\r": "enter",
  " ": "space",
  "\x7f": "backspace",
}

const nameOfCodePoint = (codePoint: number): string => {
  if (codePoint >= 57_417 && codePoint <= 57_426) return keypadMoves[codePoint - 57_417]!
  const character =
    codePoint >= 57_399 && codePoint <= 57_416 ? keypad[codePoint - 57_399]! : String.fromCodePoint(codePoint)
  return namedCharacters[character] ?? character.toLowerCase()
}

const withModifiers = (key: string, modifiers: ReadonlySet<string>): string =>
  [...modifierNames.filter((name) => modifiers.has(name)), key].join("+")

/** `parameter`: as sequences give it, 1 for none. */
const modified = (key: string, parameter: string | undefined): string => {
  const bits = Number(parameter ?? 1) - 1
  return withModifiers(key, new Set(modifierNames.filter((name) => (bits & modifierBits[name]) !== 0)))
}

const letterSequence = /^\x1b(?:\[(?:1;(\d+)(?::\d)?)?|O)([A-FHPQRS])$/
const tildeSequence = /^\x1b\[(\d+)(?:;(\d+)(?::\d)?)?([~$^])$/
const rxvtSequence = /^\x1b([[O])([a-e])$/
const kittySequence = /^\x1b\[(\d+)(?::\d*){0,2}(?:;(\d+)(?::\d)?)?(?:;[\d:]*)?u$/
const modifyOtherKeys = /^\x1b\[27;(\d+);(\d+)~$/

const codePointMeaning = (codePoint: string, parameter: string | undefined): Array<string> =>
  Number(codePoint) > 0x10ffff ? [] : [modified(nameOfCodePoint(Number(codePoint)), parameter)]

const sequenceMeanings = (data: string): Array<string> => {
  if (data === "\x1b[Z") return ["shift+tab"]
  if (data === "\x1bOM") return ["enter"]
  const letter = letterSequence.exec(data)
  if (letter !== null) return [modified(finalLetters[letter[2]!]!, letter[1])]
  const other = modifyOtherKeys.exec(data)
  if (other !== null) return codePointMeaning(other[2]!, other[1])
  const tilde = tildeSequence.exec(data)
  if (tilde !== null) {
    const key = tildeNumbers[tilde[1]!]
    const parameter = { "~": tilde[2], $: "2", "^": "5" }[tilde[3] as "~" | "$" | "^"]
    return key === undefined ? [] : [modified(key, parameter)]
  }
  const rxvt = rxvtSequence.exec(data)
  if (rxvt !== null) return [modified(finalLetters[rxvt[2]!.toUpperCase()]!, rxvt[1] === "[" ? "2" : "5")]
  const kitty = kittySequence.exec(data)
  return kitty === null ? [] : codePointMeaning(kitty[1]!, kitty[2])
}

/** Keys that one byte, or one character, may stand for: the usual one first. */
const characterMeanings = (data: string): Array<string> => {
  const code = data.charCodeAt(0)
  const named = namedCharacters[data]
  // Without a protocol, terminals send the same for Ctrl with a letter as for Tab, Enter and the like.
  const control = code < 32 ? `ctrl+${String.fromCharCode(code + 64).toLowerCase()}` : undefined
  if (code === 0) return ["ctrl+space", "ctrl+@"]
  if (code === 8) return ["backspace", "ctrl+h"]
  if (code === 10) return ["enter", "ctrl+j"]
  if (code === 31) return ["ctrl+-", "ctrl+_"]
  if (control !== undefined) return named === undefined ? [control] : [named, control]
  if (named !== undefined) return [named]
  const lower = data.toLowerCase()
  return lower === data ? [data] : [`shift+${lower}`]
}

const withAlt = (id: string): string => {
  const parts = id.split("+")
  return withModifiers(parts.pop()!, new Set([...parts, "alt"]))
}

const isOneCharacter = (data: string): boolean =>
  data.length > 0 && data.length === (data.codePointAt(0)! > 0xffff ? 2 : 1)

const meaningsOf = (data: string): Array<string> => {
  if (isOneCharacter(data)) return characterMeanings(data)
  const meanings = sequenceMeanings(data)
  if (meanings.length > 0 || data[0] !== "\x1b" || !isOneCharacter(data.slice(1))) return meanings
  const alt = characterMeanings(data.slice(1)).map(withAlt)
  // What shells take for moves by a word.
  const move = { b: "alt+left", B: "alt+left", f: "alt+right", F: "alt+right" }[data[1]!]
  return move === undefined ? alt : [move, ...alt]
}

/** With the modifiers in one order and the key under one name, in small letters. `ctrl++` is Ctrl with plus. */
const normalised = (id: string): string => {
  const parts = id.replace(/\+$/, "plus").split("+")
  const key = parts.pop()!.replace(/^plus$/, "+")
  const lower = key.toLowerCase()
  const isCapital = key.length === 1 && key !== lower && parts.length === 0
  const modifiers = isCapital ? ["shift"] : parts.map((part) => part.toLowerCase())
  return withModifiers({ esc: "escape", return: "enter" }[lower] ?? lower, new Set(modifiers))
}

/** The name of the key, modifiers in the order shift, ctrl, alt, super; a letter as it is; undefined for what is no key. */
export const parseKey = (data: string): string | undefined => {
  const [meaning] = meaningsOf(data)
  return meaning !== undefined && /^\p{L}$/u.test(data) ? data : meaning
}

/** Whether the data stands for a key. Case does not matter, nor the order of modifiers. */
export const matchesKey = (data: string, id: string): boolean => {
  const wanted = normalised(id)
  return meaningsOf(data).some((meaning) => normalised(meaning) === wanted)
}

/** Only kitty's protocol tells of releases. */
export const isKeyRelease = (data: string): boolean => /^\x1b\[[\d;:]*:3[u~A-FHPQRS]$/.test(data)

const pasted = /^\x1b\[200~([\s\S]*)\x1b\[201~$/

/** The text that data adds to an input: what is typed or pasted; undefined for other keys. */
export const typedText = (data: string): string | undefined => {
  const paste = pasted.exec(data)
  if (paste !== null) return paste[1]!.replace(/\r\n?/g, "\n")
  const kitty = kittySequence.exec(data)
  if (kitty !== null) {
    const bits = (Number(kitty[2] ?? 1) - 1) & 0b1111
    const codePoint = Number(/^\x1b\[\d+:(\d+)/.exec(data)?.[1] ?? kitty[1])
    return bits > 1 || codePoint < 32 || codePoint === 127 || codePoint > 57_343
      ? undefined
      : String.fromCodePoint(codePoint)
  }
  return /[\x00-\x1f\x7f]/.test(data) || data === "" ? undefined : data
}
