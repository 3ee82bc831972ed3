/** The names that agents go by: one line, short, and each given once at a time. Models choose them. */

const maxLabelLength = 60

/** The text as a label; empty where nothing of it can be shown. */
export const toLabel = (text: string): string => {
  const line = text.replace(/[\s\p{C}]+/gu, " ").trim()
  return [...line].slice(0, maxLabelLength).join("").trim()
}

/** The label, with a number behind it where it is taken. */
export const uniqueLabel = (label: string, isTaken: (label: string) => boolean): string => {
  if (!isTaken(label)) return label
  let number = 2
  while (isTaken(`${label}-${number}`)) number += 1
  return `${label}-${number}`
}
