/** The labels of agents: one line, short, and unique at any time. Models choose them. */

const maxLabelLength = 60

/** Converts a text to a label; empty if it has no printable characters. */
export const toLabel = (text: string): string => {
  const line = text.replace(/[\s\p{C}]+/gu, " ").trim()
  return [...line].slice(0, maxLabelLength).join("").trim()
}

/** Returns the label, with a number if it is taken. */
export const uniqueLabel = (label: string, isTaken: (label: string) => boolean): string => {
  if (!isTaken(label)) return label
  let number = 2
  while (isTaken(`${label}-${number}`)) number += 1
  return `${label}-${number}`
}
