import { describe, expect, it } from "vitest"
import { hostUI } from "../../src/custom-tools/contexts.ts"
import { noOpUI, type UIContext } from "../../src/custom-tools/index.ts"
import { foreignOwner, runIsolated } from "../../src/custom-tools/loading/isolation.ts"

describe("hostUI", () => {
  it("is the no-op one where there is none", () => {
    expect(hostUI()).toBe(noOpUI)
    expect(hostUI(noOpUI)).toBe(noOpUI)
  })

  it("is one for each screen", () => {
    const ui = { ...noOpUI }
    expect(hostUI(ui)).toBe(hostUI(ui))
    expect(hostUI(ui)).not.toBe(hostUI({ ...noOpUI }))
  })

  it("calls the host's methods as its own code, with the answers awaited in the tool's", async () => {
    const owners: Array<string | undefined> = []
    const ui: UIContext = Object.freeze({
      ...noOpUI,
      confirm: async (title: string) => {
        owners.push(foreignOwner())
        return title === "Sure?"
      },
    })
    await runIsolated("sample", async () => {
      expect(await hostUI(ui).confirm("Sure?", "")).toBe(true)
      owners.push(foreignOwner())
    })
    expect(owners).toEqual([undefined, "sample"])
  })

  it("gives everything else as it is", () => {
    const ui = hostUI({ ...noOpUI, extra: 5 })
    expect(ui.theme).toBe(noOpUI.theme)
    expect(ui.extra).toBe(5)
    expect("notify" in ui).toBe(true)
    expect(ui.missing).toBeUndefined()
  })
})
