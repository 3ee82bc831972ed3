/** What the rules say of a text. Of a URL a deny rule must match one of its forms, allow rules it and what it leads to. */
import type { Matching } from "./bounded-pattern.ts"
import { approvedBy, ask, deniedBy, type Explanation } from "./explanation.ts"
import { findRule, type Rule, slowDeny, type ToolRules } from "./rules.ts"
import { urlForms } from "./url-forms.ts"

/** @param allowed The rule that is for this very call. */
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
