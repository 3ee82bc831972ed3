/** A Map that is made with its first entry: an idle executor holds several, and most stay empty. */
export class LateMap<Key, Value> {
  private map: Map<Key, Value> | undefined

  get size(): number {
    return this.map?.size ?? 0
  }

  has(key: Key): boolean {
    return this.map?.has(key) ?? false
  }

  get(key: Key): Value | undefined {
    return this.map?.get(key)
  }

  set(key: Key, value: Value): void {
    this.map ??= new Map()
    this.map.set(key, value)
  }

  delete(key: Key): boolean {
    return this.map?.delete(key) ?? false
  }

  clear(): void {
    this.map?.clear()
  }

  keys(): Iterable<Key> {
    return this.map?.keys() ?? []
  }

  values(): Iterable<Value> {
    return this.map?.values() ?? []
  }

  entries(): Iterable<[Key, Value]> {
    return this.map?.entries() ?? []
  }
}
