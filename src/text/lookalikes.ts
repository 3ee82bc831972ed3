/** Characters that look like others on a screen, from the confusables of Unicode's Technical Standard 39. */

/** Punctuation that looks like ASCII punctuation, after the character that it resembles. */
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

/** Latin letters that look like ASCII letters. */
const latin = "ıȷƽƨɑɡɩ"

/** The characters that `visibleText` itself draws: a text that contains them must not look like its output. */
const drawn = "⟦⟧⇥⏎␣"

/** Characters that are mistaken for others in any context. */
export const isLookalike: ReadonlySet<string> = new Set(
  punctuation.flatMap((row) => [...row].slice(1)).concat([...drawn, ...latin]),
)

/** The letters of the three scripts similar to Latin that look like Latin letters. */
export const isLookalikeLetter: ReadonlySet<string> = new Set(
  "аеорсухіїјѕһԁԛԝѵӏүАВЕЗІЇЈКМНОРСТУХЅԌҮѴӀҺԜЬ" + "αορνυικχγϲϳϱΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺ" + "աօոսհցքզյլիւտԱՍՕԼՀՏԲ",
)
