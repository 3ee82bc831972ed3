/** Characters that are taken for others on a screen, after the confusables of Unicode's Technical Standard 39. */

/** Punctuation that is taken for that of ASCII, behind the one that it looks like. */
const punctuation = [
  "-˗‐‑‒–⁃−",
  "'ʹʻʼʽʾʿˈˊ´‘’‚‛′׳ꞌ",
  "`ˋ‵",
  '"ʺ“”„‟″‶״〃',
  ":ː։׃܃܄᛬᠃ꓽ꞉∶",
  ".․·܁܂٠۔ꓸ𐩐",
  ",‚٫،꓾⸒",
  "/⁄∕⟋⧸╱᜵",
  "\\∖⟍⧵⧹╲",
  "|ǀǁ∣❘⏐",
  "~˜∼⁓〜",
  "^˄ˆ",
  "*∗⁎٭✱",
  "=꞊⹀᐀゠",
  "<‹❮˂ᐸ",
  ">›❯˃ᐳ",
  "(❨❲〔﴾",
  ")❩❳〕﴿",
  "[⟦〚",
  "]⟧〛",
  "{❴𝄔",
  "}❵",
  "!ǃⵑ",
  "?ʔɂꛫ",
  "&ꝸ",
  "%٪",
  "#♯",
  "+᛭➕",
  "$＄",
  "@＠",
]

/** Letters of the Latin script that are taken for those of ASCII. */
const latin = "ıȷƽƨɑɡɩ"

/** What `visibleText` draws itself stands here too: a text that holds it must not pass for what was drawn. */
const drawn = "⟦⟧⇥⏎␣"

/** What is taken for something else whatever stands around it. */
export const isLookalike: ReadonlySet<string> = new Set(
  punctuation.flatMap((row) => [...row].slice(1)).concat([...drawn, ...latin]),
)

/** Letters of the three scripts that share shapes with the Latin one, where they do. */
export const isLookalikeLetter: ReadonlySet<string> = new Set(
  "аеорсухіїјѕһԁԛԝѵӏүАВЕЗІЇЈКМНОРСТУХЅԌҮѴӀҺԜЬ" + "αορνυικχγϲϳϱΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺ" + "աօոսհցքզյլիւտԱՍՕԼՀՏԲ",
)
