/** A factory that returns several tools, later. */
import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent"

const factory: CustomToolFactory = async (pi) => {
  const { Type } = pi.typebox
  const convert = (name: string, description: string, from: (value: number) => number) => ({
    name,
    label: name,
    description,
    parameters: Type.Object({ value: Type.Number() }),
    async execute(_toolCallId: string, { value }: { value: number }) {
      return { content: [{ type: "text" as const, text: String(from(value)) }] }
    },
  })
  await pi.exec("true", [])
  return [
    convert("to_celsius", "Converts from Fahrenheit.", (value) => ((value - 32) * 5) / 9),
    convert("to_fahrenheit", "Converts from Celsius.", (value) => (value * 9) / 5 + 32),
  ]
}

export default factory
