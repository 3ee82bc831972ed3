/**
 * Tells the parts of JavaScript apart for their colours, and for nothing else: it knows no regular expressions and no code within
 * templates, and every text stays whole. Tools that code names are found in all of its parts.
 */

/** A part of a text; without a kind, it is drawn as any text. */
export interface CodePart {
  readonly text: string
  readonly kind?: "tool" | "word" | "string" | "comment"
}

/** The tools that code seems to call: the name is the first group or the second. */
export const toolMention = /\btools\s*(?:\.\s*([\w$]+)|\[\s*["']([\w-]+)["'])/g

const words =
  "async|await|break|case|catch|class|const|continue|default|delete|do|else|false|finally|for|function|if|in|instanceof|let|new|null|of|return|switch|this|throw|true|try|typeof|undefined|var|void|while|yield"

const token = new RegExp(
  [
    String.raw`(?<comment>\/\/.*|\/\*[\s\S]*?(?:\*\/|$))`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|${"`"}(?:\\[\s\S]|[^${"`"}\\])*${"`"}?)`,
    String.raw`(?<![\w$.])(?<word>${words})(?![\w$])`,
  ].join("|"),
  "g",
)

type Kind = CodePart["kind"]

/** The parts of a text that a pattern finds, and those between them. */
function* partsBy(
  text: string,
  pattern: RegExp,
  kindOf: (match: RegExpMatchArray) => Kind,
  between: Kind,
): Generator<CodePart, undefined> {
  let at = 0
  const part = (text: string, kind: Kind): CodePart => (kind === undefined ? { text } : { text, kind })
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) yield part(text.slice(at, match.index), between)
    yield part(match[0], kindOf(match))
    at = match.index + match[0].length
  }
  if (at < text.length) yield part(text.slice(at), between)
}

const kindOfToken = ({ groups = {} }: RegExpMatchArray): Kind =>
  (["comment", "string", "word"] as const).find((kind) => groups[kind] !== undefined)

/** The parts of code, which are all of it. */
export const codeParts = (code: string): Array<CodePart> =>
  [...partsBy(code, token, kindOfToken, undefined)].flatMap(({ text, kind }) => [
    ...partsBy(text, toolMention, () => "tool", kind),
  ])

/** The parts of a text that begins with a block of JavaScript between fences; undefined for any other. */
export const fencedParts = (text: string): Array<CodePart> | undefined => {
  const block = /^```js\n([\s\S]*)\n```(?=\n|$)/.exec(text)
  if (block === null) return undefined
  const code = block[1]!
  const start = "```js\n"
  return [{ text: start }, ...codeParts(code), { text: text.slice(start.length + code.length) }]
}
