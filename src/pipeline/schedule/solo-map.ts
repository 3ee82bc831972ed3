import { LateMap } from "./late-map.ts"

/**
 * A Map that holds an entry that is alone in a field. One call after the other is what most hosts make, and a Map that fills and
 * empties with each of them costs as much as a good part of the call.
 */
export class SoloMap<Key, Value extends object> {
  private soloKey: Key | undefined
  private solo: Value | undefined
  /** Holds more than one, until it is empty. */
  private readonly map = new LateMap<Key, Value>()

  get size(): number {
    return this.solo === undefined ? this.map.size : 1
  }

  has(key: Key): boolean {
    return this.solo === undefined ? this.map.has(key) : this.soloKey === key
  }

  get(key: Key): Value | undefined {
    if (this.solo === undefined) return this.map.get(key)
    return this.soloKey === key ? this.solo : undefined
  }

  set(key: Key, value: Value): void {
    const { soloKey, solo } = this
    if (solo === undefined ? this.map.size === 0 : soloKey === key) {
      this.soloKey = key
      this.solo = value
      return
    }
    if (solo !== undefined) {
      this.map.set(soloKey as Key, solo)
      this.forgetSolo()
    }
    this.map.set(key, value)
  }

  delete(key: Key): void {
    if (this.solo === undefined) this.map.delete(key)
    else if (this.soloKey === key) this.forgetSolo()
  }

  clear(): void {
    this.forgetSolo()
    this.map.clear()
  }

  /** In the order in which they were set. */
  values(): Array<Value> {
    return this.solo === undefined ? [...this.map.values()] : [this.solo]
  }

  private forgetSolo(): void {
    this.soloKey = undefined
    this.solo = undefined
  }
}
