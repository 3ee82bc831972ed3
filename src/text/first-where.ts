/** The first index of a list from which a condition holds; the length of the list if it never does. A binary search. */
export const firstWhere = <A>(list: ReadonlyArray<A>, holds: (value: A) => boolean): number => {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
