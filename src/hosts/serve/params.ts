/** Reads the parameters of a method. A missing, wrong or unknown one is an error −32602 that names it. */

import { got } from "../../model/got.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { codes, RpcError } from "./json-rpc.ts"

const listed = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

export class Params {
  private readonly method: string
  private readonly values: Readonly<Record<string, unknown>>

  /** @param takes All parameters of the method. */
  constructor(method: string, values: Readonly<Record<string, unknown>>, takes: ReadonlyArray<string>) {
    this.method = method
    this.values = values
    const unknown = Object.keys(values).find((name) => !takes.includes(name))
    if (unknown === undefined) return
    const known = takes.length === 0 ? "nothing" : listed(takes)
    throw new RpcError(codes.invalidParams, `\`${method}\` takes ${known}, and was sent \`${unknown}\`.`)
  }

  /** The parameter as it was sent. */
  raw(name: string): unknown {
    return this.values[name]
  }

  text(name: string): string {
    const value = this.values[name]
    return typeof value === "string" && value !== "" ? value : this.refuse(name, "a string that is not empty")
  }

  optionalText(name: string): string | undefined {
    const value = this.values[name] ?? undefined
    return value === undefined || typeof value === "string" ? value : this.refuse(name, "a string")
  }

  flag(name: string): boolean {
    const value = this.values[name] ?? false
    return typeof value === "boolean" ? value : this.refuse(name, "true or false")
  }

  count(name: string): number {
    const value = this.values[name]
    return typeof value === "number" && Number.isInteger(value) && value >= 1
      ? value
      : this.refuse(name, "a positive integer")
  }

  list(name: string): ReadonlyArray<unknown> {
    const value = this.values[name]
    return Array.isArray(value) ? value : this.refuse(name, "a list")
  }

  texts(name: string): ReadonlyArray<string> {
    const values = this.list(name)
    return values.every((value) => typeof value === "string")
      ? values
      : this.refuse(name, "a list of strings")
  }

  record(name: string): Readonly<Record<string, unknown>> {
    const value = this.values[name]
    return isPlainObject(value) ? value : this.refuse(name, "an object")
  }

  has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== null
  }

  private refuse(name: string, expected: string): never {
    const value = this.values[name]
    const message = `Expected \`${name}\` of \`${this.method}\` to be ${expected}, ${got(value)}.`
    throw new RpcError(codes.invalidParams, message)
  }
}
