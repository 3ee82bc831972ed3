const tool = (name: string) => ({
  name,
  description: "A sample.",
  parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [{ type: "text", text: name }] }),
})

/** The second has no `execute`. */
export default () => [tool("first"), { ...tool("second"), execute: undefined }, tool("third")]
