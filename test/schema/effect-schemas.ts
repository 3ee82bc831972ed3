/** Schemas of Effect that ask all of whoever reads them: transformations, classes, references, defaults, annotations. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

interface Tree {
  readonly children: ReadonlyArray<Tree>
}

const Tree: Schema.Codec<Tree> = Schema.Struct({
  children: Schema.Array(Schema.suspend(() => Tree)),
}).annotate({ identifier: "Tree" })

/** The parameters of a tool. */
export const everyKind = Schema.Struct({
  count: Schema.FiniteFromString.annotate({ description: "How many." }),
  when: Schema.DateFromString,
  ids: Schema.ReadonlySet(Schema.String),
  kind: Schema.Literals(["one", "two"]),
  size: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))),
  depth: Schema.Finite.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
  tree: Tree,
})
