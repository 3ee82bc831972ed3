import { resolve } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import {
  type CallFilter,
  pipeline,
  Step,
  ToolExecutor,
  type ToolExecutorOptions,
  ToolFilters,
  ToolRegistry,
} from "../../src/index.ts"
import { sandboxFilters } from "../../src/sandbox/index.ts"
import { executorOf, registryOf, toolOf } from "../support/executor-of.ts"

const make = (options: unknown) => () => new ToolExecutor(new ToolRegistry(), options as ToolExecutorOptions)

describe("the executor's options", () => {
  for (const name of [
    "backgroundConcurrency",
    "maxTasks",
    "maxPendingActions",
    "eventBuffer",
    "eventBufferBytes",
  ]) {
    it.each([
      [0, "`0` (number)"],
      [-1, "`-1` (number)"],
      [1.5, "`1.5` (number)"],
      [Number.NaN, "`NaN` (number)"],
      ["64", "`64` (string)"],
      [null, "`null` (null)"],
    ])(`refuse a ${name} of %s`, (value, shown) => {
      expect(make({ [name]: value })).toThrow(TypeError)
      expect(make({ [name]: value })).toThrow(`Expected \`${name}\` to be a positive integer, got ${shown}`)
    })

    it(`accept a ${name} of 1, and none`, () => {
      expect(make({ [name]: 1 })).not.toThrow()
      expect(make({ [name]: undefined })).not.toThrow()
    })
  }

  for (const name of [
    "callTimeout",
    "taskTimeout",
    "approvalTimeout",
    "delegateTimeout",
    "finallyTimeout",
    "taskTtl",
  ]) {
    it.each(["soon", -1, Number.NaN, true])(`refuse a ${name} of %s`, (value) => {
      expect(make({ [name]: value })).toThrow(TypeError)
      expect(make({ [name]: value })).toThrow(`Expected \`${name}\` to be a duration`)
    })

    it.each([100, "5 seconds", Number.POSITIVE_INFINITY, undefined])(`accept a ${name} of %s`, (value) => {
      expect(make({ [name]: value })).not.toThrow()
    })
  }

  it("refuse a resolveChoice that there is not", () => {
    expect(make({ resolveChoice: "hard" })).toThrow(
      "Expected `resolveChoice` to be `soft` or `forced`, got `hard` (string)",
    )
    expect(make({ resolveChoice: "forced" })).not.toThrow()
  })

  it.each([
    [{ cwd: 5 }, "Expected `cwd` to be a path, got `5` (number)"],
    [{ workspace: "" }, "Expected `workspace` to be the path of a folder, got `` (string)"],
    [{ workspace: false }, "Expected `workspace` to be the path of a folder, got `false` (boolean)"],
    [{ filters: {} }, "Expected `filters` to be what `ToolFilters.compile` gives, or to have its `evaluate`"],
    [{ delegates: 5 }, "Expected `delegates` to be an object of functions, got `5` (number)"],
    [{ delegates: { IdeOpen: "x" } }, "Expected `delegates.IdeOpen` to be a function, got `x` (string)"],
    [{ hooks: "x" }, "Expected `hooks` to be an object of functions, got `x` (string)"],
    [{ hooks: { beforeCall: 5 } }, "Expected `hooks.beforeCall` to be a function, got `5` (number)"],
    [{ hooks: { afterCall: {} } }, "Expected `hooks.afterCall` to be a function"],
    [{ onDecision: "log" }, "Expected `onDecision` to be a function, got `log` (string)"],
    [{ filter: {} }, "An executor has no option `filter`. Did you mean `filters`?"],
    [{ CallTimeOut: 5 }, "An executor has no option `CallTimeOut`. Did you mean `callTimeout`?"],
    [{ tools: [] }, "An executor has no option `tools`. Options: filters, cwd, workspace, delegates, "],
    [{ parallelReads: "no" }, "Expected `parallelReads` to be true or false, got `no` (string)"],
  ])("refuse %j", (options, message) => {
    expect(make(options)).toThrow(TypeError)
    expect(make(options)).toThrow(message)
  })

  it.each([
    { hooks: {}, delegates: {}, filter: undefined },
    { hooks: null, delegates: null, filters: null, cwd: null, workspace: null },
  ])("accept %j", (options) => {
    expect(make(options)).not.toThrow()
  })

  it("begin a relative path where the process stands now", async () => {
    let cwd: string | undefined
    const tool = pipeline().andThen((context) => {
      cwd = context.cwd
      return Step.Continue
    })
    await executorOf({ tool }, { cwd: "some/folder" }).run({ name: "tool" })
    expect(cwd).toBe(resolve("some/folder"))
  })

  it("come with a registry", () => {
    expect(() => new ToolExecutor(undefined as never)).toThrow(
      "Expected a ToolRegistry, got `undefined` (undefined)",
    )
  })

  describe("filters of tools that there are not", () => {
    const registry = registryOf({ shell: pipeline(), read_file: pipeline() })
    const withFilters = (filters: CallFilter, tools = registry) => new ToolExecutor(tools, { filters })
    const has = "The filters have rules for the tool"
    const mend = "Register it before the executor is made, or compile its rules with a `source`."

    const warnings = () => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined)
      onTestFinished(() => warn.mockRestore())
      return warn.mock.calls
    }

    it.each([
      ["shel", "Did you mean `shell`?"],
      ["readFile", "Did you mean `read_file`?"],
      ["publish", "Tools: shell, read_file, resolve."],
    ])("are refused: %s", (name, advice) => {
      const message = `${has} \`${name}\`, which the registry has not. ${advice} ${mend}`
      for (const rules of [
        { [name]: { deny: ["x"] } },
        { shell: { deny: ["x"] }, [name]: { allow: ["x"] } },
      ]) {
        const filters = ToolFilters.compile(rules)
        const added = ToolFilters.empty()
        added.add(rules)
        for (const given of [filters, filters.at("/tmp"), added, sandboxFilters(filters)]) {
          expect(() => withFilters(given)).toThrow(TypeError)
          expect(() => withFilters(given)).toThrow(message)
        }
      }
    })

    it("are not where nothing is ruled, nor for `resolve`", () => {
      withFilters(ToolFilters.compile({ shel: {}, resolve: { allow: ["x"] }, shell: { deny: ["x"] } }))
    })

    it("are warned of where the tool may come later: from another place, or before there are tools", async () => {
      const told = warnings()
      const filters = ToolFilters.compile({ shel: { deny: ["x", "y"], allow: ["z"] } }, { source: "a.toml" })
      withFilters(filters)
      withFilters(ToolFilters.compile({ shel: { deny: ["x"] }, other: { allow: ["z"] } }), new ToolRegistry())
      const options = { type: "SteplineWarning", code: "STEPLINE_UNKNOWN_TOOL" }
      expect(told).toEqual([
        ["a.toml: there is no tool `shel` here to deny.", options],
        ["filters: there is no tool `shel` here to deny.", options],
      ])
      const late = new ToolRegistry()
      const executor = withFilters(ToolFilters.compile({ late: { deny: [""] } }), late)
      late.register(toolOf("late", pipeline()))
      expect(await executor.run({ name: "late" })).toMatchObject({ status: "denied", by: "policy" })
    })
  })

  it("may be left out", () => {
    expect(() => new ToolExecutor(new ToolRegistry())).not.toThrow()
  })
})
