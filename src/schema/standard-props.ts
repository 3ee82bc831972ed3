/** The properties that schemas of other libraries share: https://standardschema.dev */

/** One issue, and its location. */
export interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<unknown> | undefined
}

/** The result of a Standard Schema for a value. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> }

/** A schema's own check. Returns a promise if the schema is asynchronous. */
export type StandardValidate = (value: unknown) => StandardResult | Promise<StandardResult>

/** The parts of a Standard Schema that are used here: its check and its JSON Schema. A library may provide only one of them. */
export interface StandardProps {
  readonly vendor?: unknown
  readonly validate?: StandardValidate
  readonly jsonSchema?: {
    input(options: { readonly target: string; readonly libraryOptions?: Record<string, unknown> }): unknown
  }
}
