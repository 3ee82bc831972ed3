/** A resolved promise: `soon.then(work)` is the cheapest way in Node to run work in a microtask. */
export const soon: Promise<void> = Promise.resolve()
