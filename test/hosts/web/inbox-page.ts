/** The inbox of a page, as a person has it. */
import type { Locator, Page } from "playwright-core"

export const inbox = (page: Page): Locator => page.getByRole("region", { name: "Inbox" })

export const card = (page: Page, name: string): Locator => inbox(page).getByRole("listitem", { name })

export const press = (page: Page, name: string): Promise<void> =>
  inbox(page).getByRole("button", { name, exact: true }).click()

/**
 * Cards that have just moved take no answer for 400 milliseconds. Whoever calls this has seen them where they are, so that time has
 * passed by then, however slow the machine is: both clocks only go on, and the page's was started before.
 */
export const settled = (page: Page): Promise<void> => page.waitForTimeout(450)
