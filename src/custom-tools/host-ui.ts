/** The host's screen for foreign code: its methods run as the host's code, and read the real keyboard. */
import { asked } from "./extensions/settle-within.ts"
import { runOutside } from "./loading/isolation.ts"
import { noOpUI, type UIContext } from "./ui-context.ts"

const known = new WeakMap<UIContext, UIContext>()

const make = (ui: UIContext): UIContext =>
  // A copy as the target, because a proxy of a frozen object must return the original properties.
  new Proxy({ ...ui } as UIContext, {
    get: (_target, key) => {
      const value: unknown = Reflect.get(ui, key, ui)
      if (typeof value !== "function") return value
      return (...parts: Array<unknown>) => asked(runOutside(() => value.apply(ui, parts)))
    },
    has: (_target, key) => key in ui,
  })

/** Returns the same object for the same screen. */
export const hostUI = (ui: UIContext = noOpUI): UIContext => {
  if (ui === noOpUI) return ui
  let made = known.get(ui)
  if (made === undefined) {
    made = make(ui)
    known.set(ui, made)
  }
  return made
}
