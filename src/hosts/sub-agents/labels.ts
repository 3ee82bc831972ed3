/** The labels of agents: one line, short, and unique at any time. Models choose them. */

const maxLabelLength = 60

/** The text as a label; empty if nothing of it can be shown. */
export const toLabel = (text: string): string => {
  const line = text.replace(/[\s\p{C}]+/gu, " ").trim()
  return [...line].slice(0, maxLabelLength).join("").trim()
}

/** The label, with a number if the label is taken. */
export const uniqueLabel = (label: string, isTaken: (label: string) => boolean): string => {
  if (!isTaken(label)) return label
  let number = 2
  while (isTaken(`${label}-${number}`)) number += 1
  return `${label}-${number}`
}
