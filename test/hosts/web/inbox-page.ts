/** The inbox of a page, as a person has it. */
import type { Locator, Page } from "playwright-core"

export const inbox = (page: Page): Locator => page.getByRole("region", { name: "Inbox" })

export const card = (page: Page, name: string): Locator => inbox(page).getByRole("listitem", { name })

export const press = (page: Page, name: string): Promise<void> =>
  inbox(page).getByRole("button", { name, exact: true }).click()

/**
 * Cards that have just moved take no answer for 400 milliseconds from when they are painted. Whoever calls this has seen them where
 * they are. The page has asked for a frame, and for a turn behind it, before this does: so that time has passed by then, however slow
 * the machine is, for both clocks only go on.
 */
export const settled = async (page: Page): Promise<void> => {
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))")
  await page.waitForTimeout(450)
}

/**
 * Presses Enter on a button of a card. A click waits until its button is enabled; a key press waits for nothing, and goes nowhere
 * where the button takes no focus because the question is still loaded.
 */
export const pressByKey = (page: Page, cardName: string, name: string): Promise<void> =>
  card(page, cardName).getByRole("button", { name, disabled: false }).press("Enter")
