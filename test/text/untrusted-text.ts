/** Texts that somebody could hide something in. */
import fc from "fast-check"

/** What hides, turns, imitates or overwrites, and what the marks are made of. */
const hostile = [
  ..."\u0000\u0007\u0008\t\n\r\u001b\u007f\u0085\u009b\u009d     ",
  ..."\u00a0\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u2800\u3000\u3164\ufe0e\ufe0f\ufeff\uffa0",
  "\u{e0001}",
  "\u{e0041}",
  "\u{e0100}",
  "\ud800",
  "\udc00",
  ..."e\u0301\u0338a\u030aе\u0308аосԁ⟦⟧⇥⏎␣│┊⟪",
  ..."ｌ𝐥‐–−‘’“”․∕∖ⅼКKÅ…②ﬁ",
  ..."שׁאقलिก็각ᄀᆨ日ー👩💻🏽",
  "[2J",
  "]0;title",
  "⟦ESC⟧",
  "⟦5 spaces⟧",
  "\n".repeat(12),
  "         ",
  "\t".repeat(12),
]

export const untrustedText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...hostile) },
      { weight: 2, arbitrary: fc.constantFrom(..."abcxyzls -rf/0") },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 4 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""))
