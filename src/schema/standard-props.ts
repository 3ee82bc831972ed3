/** What schemas of other libraries share: https://standardschema.dev */

/** What is wrong, and where. */
export interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<unknown> | undefined
}

/** What a Standard Schema says of a value. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> }

/** A schema's own check. A promise where the schema does something asynchronous. */
export type StandardValidate = (value: unknown) => StandardResult | Promise<StandardResult>

/** The part of a Standard Schema that is read here: its check and its JSON Schema, of which a library may give only one. */
export interface StandardProps {
  readonly vendor?: unknown
  readonly validate?: StandardValidate
  readonly jsonSchema?: {
    input(options: { readonly target: string; readonly libraryOptions?: Record<string, unknown> }): unknown
  }
}
