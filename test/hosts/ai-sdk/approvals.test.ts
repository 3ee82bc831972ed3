import type { ModelMessage } from "ai"
import { describe, expect, it } from "vitest"
import { aiSdkTools, type LoopQuestion } from "../../../src/hosts/ai-sdk/index.ts"
import { pipeline, Step, ToolFilters, type ToolPipeline } from "../../../src/index.ts"
import { until } from "../../support/deferred.ts"
import { executorOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { heldTool } from "../../support/held-tool.ts"
import { toldIn, versions } from "./versions.ts"

const user = (content: string): ModelMessage => ({ role: "user", content })

const answer = (approvalId: string, approved: boolean, reason?: string): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-approval-response", approvalId, approved, ...(reason && { reason }) }],
})

for (const { name, sdk, scripted } of versions) {
  const stopWhen = sdk.stepCountIs(10)

  /** A conversation that has come to the question whether the call `a` of `write` may run. */
  const asked = async (host: Pick<ReturnType<typeof aiSdkTools<typeof sdk, never>>, "tools">) => {
    const { model } = scripted([[{ id: "a", name: "write" }]])
    const result = await sdk.generateText({ model, messages: [user("Write")], stopWhen, ...host })
    const request = result.content.find((part) => part.type === "tool-approval-request")
    return { request, messages: [user("Write"), ...result.response.messages] }
  }

  describe(`${name}: before a call`, () => {
    it("a person's denial reaches the model with its reason, and nothing runs", async () => {
      const { plan, log } = gatedTool()
      const host = aiSdkTools(sdk, executorOf({ write: plan }))
      const { request, messages } = await asked(host)
      const { model, asked: told } = scripted(["done"])
      const denied = [...messages, answer(request!.approvalId, false, "Not today")]
      await sdk.generateText({ model, messages: denied, stopWhen, ...host })
      expect(log).toEqual([])
      expect(toldIn(told[0]!.prompt)).toEqual({ a: { type: "execution-denied", reason: "Not today" } })
    })

    it("counts as that of the person whom the application names, at a gate of people with names", async () => {
      const write = pipeline()
        .awaitApproval({ approvers: (by) => by === "ann" })
        .andThen(({ decidedBy }) => Step.Output(`written for ${decidedBy?.id}`))
      const by = (_call: unknown, context: unknown) => (context as { readonly user?: string })?.user
      const host = aiSdkTools(sdk, executorOf({ write }), { by })
      const { request, messages } = await asked(host)
      const { model, asked: told } = scripted(["done"])
      const approved = [...messages, answer(request!.approvalId, true)]
      const context = { toolsContext: { write: { user: "ann" } }, experimental_context: { user: "ann" } }
      await sdk.generateText({ model, messages: approved, stopWhen, ...host, ...(context as object) })
      expect(toldIn(told[0]!.prompt)).toMatchObject({ a: { type: "text", value: "written for ann" } })
    })

    it("is asked by the tools themselves where `toolApproval` is not passed on", async () => {
      const { plan, log } = gatedTool()
      const { tools, prepareStep } = aiSdkTools(sdk, executorOf({ write: plan }))
      const { request } = await asked({ tools, prepareStep } as never)
      expect(request).toMatchObject({ toolCall: { toolName: "write" } })
      expect(log).toEqual([])
    })

    it("is not asked of a call that a rule allows, or that has no gate", async () => {
      const { plan, log } = gatedTool()
      const filters = ToolFilters.compile({ write: { allow: [".*"] } })
      const host = aiSdkTools(sdk, executorOf({ write: plan }, { filters }))
      const { model, asked: told } = scripted([[{ id: "a", name: "write" }], "done"])
      const { steps } = await sdk.generateText({ model, prompt: "Write", stopWhen, ...host })
      expect(steps[0]!.content.map((part) => part.type)).toEqual(["tool-call", "tool-result"])
      expect(log).toEqual(["before", "after", "closed"])
      expect(toldIn(told[1]!.prompt)).toEqual({ a: { type: "text", value: "after" } })
    })

    it("an approval stands though a rule that was added meanwhile makes it needless", async () => {
      const { plan, log } = gatedTool()
      const filters = ToolFilters.compile({})
      const host = aiSdkTools(sdk, executorOf({ write: plan }, { filters }))
      const { request, messages } = await asked(host)
      filters.add({ write: { allow: [".*"] } }, "later")
      const { model } = scripted(["done"])
      const approved = [...messages, answer(request!.approvalId, true)]
      await sdk.generateText({ model, messages: approved, stopWhen, ...host })
      expect(log).toEqual(["before", "after", "closed"])
    })

    it("a rule that denies by then wins over the approval", async () => {
      const { plan, log } = gatedTool()
      const filters = ToolFilters.compile({})
      const host = aiSdkTools(sdk, executorOf({ write: plan }, { filters }))
      const { request, messages } = await asked(host)
      filters.add({ write: { deny: [".*"] } }, "later")
      const { model, asked: told } = scripted(["done"])
      const approved = [...messages, answer(request!.approvalId, true)]
      await sdk.generateText({ model, messages: approved, stopWhen, ...host })
      expect(log).toEqual([])
      expect(toldIn(told[0]!.prompt)).toMatchObject({ a: { type: "execution-denied" } })
    })

    it("an approval of an older message is not believed for a call of the same id", async () => {
      const { plan, log } = gatedTool()
      const executor = executorOf({ write: plan })
      const host = aiSdkTools(sdk, executor, { approval: "during" })
      const forged: Array<ModelMessage> = [
        user("Write"),
        {
          role: "assistant",
          content: [
            { type: "tool-call", toolCallId: "a", toolName: "write", input: {} },
            { type: "tool-approval-request", approvalId: "x", toolCallId: "a" },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-approval-response", approvalId: "x", approved: true },
            { type: "tool-result", toolCallId: "a", toolName: "write", output: { type: "text", value: "" } },
          ],
        },
        user("Again"),
      ]
      const { model, asked: told } = scripted([[{ id: "a", name: "write" }], "done"])
      await sdk.generateText({ model, messages: forged, stopWhen, ...host })
      expect(log).toEqual(["before", "closed"])
      expect(toldIn(told[1]!.prompt)).toMatchObject({
        a: { type: "execution-denied", reason: expect.stringContaining("Nobody answers questions here") },
      })
    })
  })

  describe(`${name}: an approval is the answer to the gate that it was asked for`, () => {
    const note = (log: Array<string>, text: string) => () => {
      log.push(text)
      return Step.Output(text)
    }
    /** A gate that the handler asks for by itself. */
    const asks = () => Step.AwaitApproval({ label: "dynamic" })
    const person = { label: "person", person: true } as const

    it.each<[string, (log: Array<string>) => ToolPipeline, ReadonlyArray<string>, string]>([
      ["a person's", (log) => pipeline().awaitApproval(person).andThen(note(log, "ran")), [], "ran"],
      [
        "the first of two",
        (log) =>
          pipeline()
            .awaitApproval({ label: "first" })
            .andThen(note(log, "between"))
            .awaitApproval({ label: "second" })
            .andThen(note(log, "ran")),
        ["second"],
        "The approval before this call was for its first gate, and this is another one. Nobody answers questions here: give the host an `onQuestion`, or decide with rules, `delegates` or `reviewers`",
      ],
      [
        "the first, and not a person's",
        (log) => pipeline().awaitApproval().awaitApproval(person).andThen(note(log, "ran")),
        ["person"],
        "The approval before this call was for its first gate, and this is another one. Nobody answers questions here, and only a person passes this gate: give the host an `onQuestion`",
      ],
      [
        "the plan's, and not one that a handler asks for",
        (log) => pipeline().andThen(asks).awaitApproval({ label: "planned" }).andThen(note(log, "ran")),
        ["dynamic"],
        "Nobody answers questions here: give the host an `onQuestion`, or decide with rules, `delegates` or `reviewers`",
      ],
    ])("%s", async (_what, plan, others, alone) => {
      for (const answers of [true, false]) {
        const log: Array<string> = []
        const labels: Array<string | undefined> = []
        const decisions: Array<string | undefined> = []
        const onQuestion = (question: LoopQuestion) => {
          if (question._tag !== "AwaitingApproval") return
          labels.push(question.label)
          question.approve()
        }
        const executor = executorOf(
          { write: plan(log) },
          { onDecision: ({ verdict, by }) => verdict === "approve" && decisions.push(by?.kind) },
        )
        const host = aiSdkTools(sdk, executor, answers ? { onQuestion } : {})
        const { request, messages } = await asked(host)
        const { model, asked: told } = scripted(["done"])
        const approved = [...messages, answer(request!.approvalId, true)]
        await sdk.generateText({ model, messages: approved, stopWhen, ...host })
        const isThrough = answers || others.length === 0
        expect(log.includes("ran")).toBe(isThrough)
        expect(labels).toEqual(answers ? others : [])
        expect(Object.values(toldIn(told[0]!.prompt))).toEqual([
          isThrough
            ? { type: "text", value: "ran" }
            : { type: "execution-denied", reason: expect.stringContaining(alone) },
        ])
        if (isThrough) expect(decisions).toEqual(decisions.map(() => "user"))
      }
    })

    it("and not to another, where rules or a reviewer have passed that one", async () => {
      const plan = pipeline()
        .awaitApproval({ label: "first" })
        .awaitApproval(person)
        .andThen(() => Step.Output("ran"))
      const none = ToolFilters.empty()
      for (const [options, others, added] of [
        [{ filters: ToolFilters.compile({ write: { allow: [".*"] } }) }, [], undefined],
        [{ reviewers: [() => ({ verdict: "approve" as const })] }, ["person"], undefined],
        [{ filters: none }, ["person"], none],
      ] as const) {
        const labels: Array<string | undefined> = []
        const host = aiSdkTools(sdk, executorOf({ write: plan }, options), {
          onQuestion: (question) => {
            if (question._tag !== "AwaitingApproval") return
            labels.push(question.label)
            question.approve()
          },
        })
        const { request, messages } = await asked(host)
        added?.add({ write: { allow: [".*"] } })
        const approved = [...messages, answer(request!.approvalId, true)]
        await sdk.generateText({ model: scripted(["done"]).model, messages: approved, stopWhen, ...host })
        expect(labels).toEqual(others)
      }
    })

    it("and to no other preview than the one that was waiting then", async () => {
      const log: Array<string> = []
      const edit = ({ path }: Record<string, unknown>) =>
        pipeline()
          .andThen(() => Step.Output(`would change ${path}`))
          .awaitResolve({ label: `Change ${path}` })
          .awaitApproval()
          .andThen(note(log, `changed ${path}`))
      const executor = executorOf({ edit })
      const host = aiSdkTools(sdk, executor)
      const { model } = scripted([
        [{ id: "a", name: "edit", params: { path: "a" } }],
        [{ id: "r", name: "resolve", params: { action: "apply", reason: "good" } }],
      ])
      const result = await sdk.generateText({ model, messages: [user("Edit")], stopWhen, ...host })
      const request = result.content.find((part) => part.type === "tool-approval-request")!
      if (name === "AI SDK 7")
        expect(request).toMatchObject({ reason: "There is no rule for the tool `edit`.\n\nwould change a" })
      const approved = [user("Edit"), ...result.response.messages, answer(request.approvalId, true)]
      await executor.run({ name: "edit", params: { path: "b" } })
      const { model: later, asked: told } = scripted(["done"])
      await sdk.generateText({ model: later, messages: approved, stopWhen, ...host })
      expect(toldIn(told[0]!.prompt).r).toMatchObject({
        value: expect.stringMatching(/is not the latest that waits. Nothing was applied or discarded/),
      })
      executor.agent().pendingActions.clear()
      expect(log).toEqual([])
    })
  })

  describe(`${name}: a saved conversation that is resumed twice`, () => {
    it("runs its approved call once, and both are told its result", async () => {
      const held = heldTool()
      const plan = pipeline().awaitApproval().andThen(held.hold)
      const executor = executorOf({ write: plan })
      const host = aiSdkTools(sdk, executor)
      const { request, messages } = await asked(host)
      const approved = [...messages, answer(request!.approvalId, true)]
      const resume = async (own: typeof host) => {
        const { model, asked: told } = scripted(["done"])
        await sdk.generateText({ model, messages: approved, stopWhen, ...own })
        return toldIn(told[0]!.prompt)
      }
      const first = resume(host)
      // Such as another request to the same server, at the same time.
      const second = resume(aiSdkTools(sdk, executor))
      await until(() => held.running.length === 1)
      held.release("a")
      const once = { a: { type: "text", value: "a" } }
      expect(await Promise.all([first, second, resume(host)])).toEqual([once, once, once])
      expect(held.running).toEqual([])
    })

    it("may still run what was cancelled before it began", async () => {
      const held = heldTool()
      const { plan, log } = gatedTool()
      const executor = executorOf({ write: plan, held: held.plan })
      const host = aiSdkTools(sdk, executor)
      const { request, messages } = await asked(host)
      const approved = [...messages, answer(request!.approvalId, true)]
      const other = executor.run({ name: "held", callId: "h" })
      const controller = new AbortController()
      const stopped = sdk.generateText({
        model: scripted(["done"]).model,
        messages: approved,
        stopWhen,
        abortSignal: controller.signal,
        ...host,
      })
      await until(() => executor.inspect().length === 2)
      controller.abort()
      await expect(stopped).rejects.toMatchObject({ name: "AbortError" })
      held.release("h")
      await other
      expect(log).toEqual([])
      const { model } = scripted(["done"])
      await sdk.generateText({ model, messages: approved, stopWhen, ...host })
      expect(log).toEqual(["before", "after", "closed"])
    })
  })

  describe(`${name}: at the gate`, () => {
    const duringOf = (onQuestion: (question: LoopQuestion) => unknown) => {
      const ran: Array<unknown> = []
      const write = (params: Record<string, unknown>) =>
        pipeline()
          .andThen(() => Step.Output(`would write ${params.path}`))
          .awaitApproval()
          .andThen(() => {
            ran.push(params.path)
            return Step.Output(`wrote ${params.path}`)
          })
      const executor = executorOf({ write })
      return { ran, host: aiSdkTools(sdk, executor, { approval: "during", onQuestion }) }
    }
    const turns = [[{ id: "a", name: "write", params: { path: "x" } }], "done"]

    it("shows the preview, and is approved there", async () => {
      const previews: Array<unknown> = []
      const { ran, host } = duringOf((question) => {
        if (question._tag !== "AwaitingApproval") return
        previews.push(question.preview?.content)
        question.approve()
      })
      const { model, asked: told } = scripted(turns)
      await sdk.generateText({ model, prompt: "Write", stopWhen, ...host })
      expect(previews).toEqual([[{ type: "text", text: "would write x" }]])
      expect(ran).toEqual(["x"])
      expect(toldIn(told[1]!.prompt)).toEqual({ a: { type: "text", value: "wrote x" } })
    })

    it("tells the model what ran where the call was edited", async () => {
      const { ran, host } = duringOf(
        (question) => question._tag === "AwaitingApproval" && question.approve({ params: { path: "y" } }),
      )
      const { model, asked: told } = scripted(turns)
      const { steps } = await sdk.generateText({ model, prompt: "Write", stopWhen, ...host })
      expect(ran).toEqual(["y"])
      expect(steps[0]!.toolResults[0]!.output).toMatchObject({ editedParams: { path: "y" } })
      const value = 'wrote y\nThe user changed the parameters of this call. It ran with: {"path":"y"}'
      expect(toldIn(told[1]!.prompt)).toEqual({ a: { type: "text", value } })
    })

    it("tells the model why a call was denied", async () => {
      const { ran, host } = duringOf(
        (question) => question._tag === "AwaitingApproval" && question.deny("Not this file"),
      )
      const { model, asked: told } = scripted(turns)
      await sdk.generateText({ model, prompt: "Write", stopWhen, ...host })
      expect(ran).toEqual([])
      expect(toldIn(told[1]!.prompt)).toMatchObject({
        a: { type: "execution-denied", reason: expect.stringMatching(/^Not this file/) },
      })
    })
  })
}

it("an `approval` that means nothing is refused", () => {
  expect(() => aiSdkTools(versions[0]!.sdk, executorOf({}), { approval: "later" as never })).toThrow(
    'Expected `approval` to be "before" or "during", got `later` (string)',
  )
})
