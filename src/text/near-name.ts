/** Suggests the name that was probably meant. */

/** The number of letters to add, remove or replace to turn one text into the other. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** A question to append to a sentence about an unknown name; empty if no other name is similar. */
export const didYouMean = (name: string, names: Iterable<string>): string => {
  const [nearest] = [...names]
    .map((near) => ({ near, away: distance(bare(name), bare(near)) }))
    .filter(({ near, away }) => away <= Math.max(1, Math.floor(near.length / 4)))
    .sort((a, b) => a.away - b.away)
  return nearest === undefined ? "" : ` Did you mean \`${nearest.near}\`?`
}
