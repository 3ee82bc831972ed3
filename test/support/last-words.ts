/** What a run of tests ends with: which tests passed only when they were tried again, and what was not tried at all. */
import type { Reporter, TestCase } from "vitest/node"

const tries = ["1st", "2nd", "3rd"]

export default class LastWords implements Reporter {
  private readonly lines = new Set<string>()

  onTestCaseResult(test: TestCase): void {
    const { retryCount = 0, flaky = false } = test.diagnostic() ?? {}
    const name = `${test.module.relativeModuleId}: ${test.fullName}`
    if (flaky) this.lines.add(`flaky: ${name} (passed at the ${tries[retryCount]} try)`)
    const result = test.result()
    // A test that is skipped for good has its reason in its place.
    if (result.state === "skipped" && result.note?.startsWith("not tried: ")) this.lines.add(result.note)
  }

  onTestRunEnd(): void {
    for (const line of this.lines) console.log(line)
  }
}
