/** The list of calls of a page, and the call that is open. */
import type { Locator, Page } from "playwright-core"

export const calls = (page: Page): Locator => page.getByRole("region", { name: "Calls" })

export const panel = (page: Page): Locator => page.getByRole("region", { name: "Call", exact: true })

/** The lines with this text, of calls that are listed. */
export const lines = (page: Page, hasText: string | RegExp): Locator =>
  calls(page).getByRole("listitem").filter({ hasText })

/** Opens a call, in place of one that is open. */
export const openCall = async (page: Page, text: string | RegExp): Promise<void> => {
  if (await panel(page).isVisible()) await panel(page).getByRole("button", { name: "Close" }).click()
  await lines(page, text).first().getByRole("button").click()
  await panel(page).getByText("Status").waitFor()
}
