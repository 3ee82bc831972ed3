/** Decides on a text. Deny rules apply to every form of a URL; allow rules must match the text and one of its forms. */
import type { Matching } from "./bounded-pattern.ts"
import { approvedBy, ask, deniedBy, type Explanation } from "./explanation.ts"
import { findRule, type Rule, slowDeny, type ToolRules } from "./rules.ts"
import { urlForms } from "./url-forms.ts"

/** @param allowed The rule for exactly this call. */
export const decideText = (
  rules: ToolRules,
  text: string,
  matching: Matching,
  allowed: Rule | undefined,
): Explanation => {
  const { allow, deny } = rules
  const forms = urlForms(text)
  for (const form of [text, ...forms]) {
    const denying = findRule(deny, form, matching)
    if (denying !== undefined) return deniedBy(denying, form)
  }
  const slow = slowDeny(rules, matching)
  if (slow !== undefined) return slow
  if (allowed !== undefined) return approvedBy(allowed, text)
  const allowing = findRule(allow, text, matching)
  if (allowing === undefined) return ask(`No allow rule matches \`${text}\`.`, text)
  const [url] = forms
  const isCovered =
    url === undefined ||
    allow.some(({ literal }) => literal === text) ||
    forms.some((form) => findRule(allow, form, matching) !== undefined)
  return isCovered
    ? approvedBy(allowing, text)
    : ask(`No allow rule matches where \`${text}\` leads: \`${url}\`.`, text)
}
