/** The same call, kept in different ways. */
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"
import { openDurableExecutor } from "stepline/durable"

export interface Side {
  /** Runs so many calls side by side, to their results. */
  call(count: number): Promise<void>
  close(): Promise<void>
}

const work = async (): Promise<string> => {
  await new Promise(setImmediate)
  return "done"
}

const tool = defineTool({
  name: "work",
  description: "Works.",
  parameters: { type: "object", properties: {} },
  compose: () => pipeline().andThen(async () => Step.Output(await work())),
})

const inOwnLanes = (count: number, run: (agentId: string) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(`agent-${index}`)))

export const memorySide = (): Side => {
  const executor = new ToolExecutor(new ToolRegistry([tool]))
  return {
    call: async (count) => {
      await inOwnLanes(count, (agentId) => executor.run({ name: "work", agentId }))
    },
    close: () => executor.shutdown(),
  }
}

export const durableSide = async (store: string): Promise<Side> => {
  const durable = await openDurableExecutor({ store, registry: new ToolRegistry([tool]) })
  return {
    call: async (count) => {
      await inOwnLanes(count, (agentId) => durable.executor.run({ name: "work", agentId }))
    },
    close: () => durable.close(),
  }
}

/** What is used of `@dbos-inc/dbos-sdk`, of version 5. */
interface Dbos {
  setConfig(config: object): void
  registerWorkflow<A>(workflow: () => Promise<A>, options: { readonly name: string }): () => Promise<A>
  runStep<A>(step: () => Promise<A>, options: { readonly name: string }): Promise<A>
  launch(): Promise<void>
  shutdown(): Promise<void>
}

/** A workflow of one step. Undefined where the package, which nothing else needs, is not installed. */
export const dbosSide = async (systemDatabaseUrl: string): Promise<Side | undefined> => {
  const name: string = "@dbos-inc/dbos-sdk"
  const loaded = (await import(name).catch(() => undefined)) as { readonly DBOS: Dbos } | undefined
  if (loaded === undefined) return undefined
  const { DBOS } = loaded
  DBOS.setConfig({ name: "bench", systemDatabaseUrl, logLevel: "error", runAdminServer: false })
  const workflow = DBOS.registerWorkflow(async () => DBOS.runStep(work, { name: "work" }), {
    name: "workflow",
  })
  await DBOS.launch()
  return {
    call: async (count) => {
      await inOwnLanes(count, () => workflow())
    },
    close: () => DBOS.shutdown(),
  }
}
