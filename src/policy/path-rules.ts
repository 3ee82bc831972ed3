/** Decides on a path: denied if a deny rule matches one of its forms, approved if allow rules match all of them. */
import type { Matching } from "./bounded-pattern.ts"
import { approvedBy, ask, deniedBy, type Explanation } from "./explanation.ts"
import { type PathForm, type Place, pathForms } from "./path-forms.ts"
import { findRule, type Rule, slowDeny, type ToolRules } from "./rules.ts"

/** @param allowed The rule for exactly this call. */
export const decidePath = (
  rules: ToolRules,
  path: string,
  place: Place,
  matching: Matching,
  allowed?: Rule,
): Explanation => {
  const { allow, deny } = rules
  const find = (rules: ReadonlyArray<Rule>, { relative, absolute }: PathForm) =>
    findRule(rules, relative, matching) ?? findRule(rules, absolute, matching)
  const denying = (forms: ReadonlyArray<PathForm>) => {
    for (const form of forms) {
      const rule = find(deny, form)
      if (rule !== undefined) return deniedBy(rule, path)
    }
    return slowDeny(rules, matching)
  }

  const forms = pathForms(path, place)
  if (forms === undefined) {
    const rule = findRule(deny, path, matching)
    if (rule !== undefined) return deniedBy(rule, path)
    return slowDeny(rules, matching) ?? ask(`\`${path}\` can be no path.`, path)
  }
  const denied = denying(forms.spelled)
  if (denied !== undefined) return denied
  const allowing = forms.spelled.map((form) => find(allow, form))
  const isAllowed = !allowing.includes(undefined)
  const notAllowed = ask(`No allow rule matches \`${path}\`.`, path)
  // The disk is read only if the decision depends on it.
  if (deny.length === 0 && !isAllowed && allowed === undefined) return notAllowed
  const real = forms.real()
  if (real === undefined) return ask(`Where \`${path}\` leads cannot be told.`, path)
  const deniedThere = denying(real)
  if (deniedThere !== undefined) return deniedThere
  if (allowed !== undefined) return approvedBy(allowed, path)
  if (!isAllowed) return notAllowed
  return real.every((form) => find(allow, form) !== undefined)
    ? approvedBy(allowing[0]!, path)
    : ask(`No allow rule matches where \`${path}\` leads.`, path)
}
