/** The type with every property writable. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] }
