/** The inbox of a page, as a person has it. */
import type { Locator, Page } from "playwright-core"

export const inbox = (page: Page): Locator => page.getByRole("region", { name: "Inbox" })

export const card = (page: Page, name: string): Locator => inbox(page).getByRole("listitem", { name })

export const press = (page: Page, name: string): Promise<void> =>
  inbox(page).getByRole("button", { name, exact: true }).click()

/** Cards that have just moved take no answer. */
export const settled = (page: Page): Promise<void> => page.waitForTimeout(450)
