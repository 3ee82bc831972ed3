/** The first index of a list from which on a condition holds: its length if it holds nowhere. Takes a binary search. */
export const firstWhere = <A>(list: ReadonlyArray<A>, holds: (value: A) => boolean): number => {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
