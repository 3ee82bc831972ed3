/** oh-my-pi's `pi-utils/chalk` without colours: `chalk.red.bold("text")` returns the text. */

const takesColour = new Set(["rgb", "hex", "ansi256", "bgRgb", "bgHex", "bgAnsi256"])

const plain: object = new Proxy((...texts: Array<unknown>) => texts.join(" "), {
  get: (target, key) => {
    if (key === "level") return 0
    if (typeof key === "symbol" || key in target) return Reflect.get(target, key)
    return takesColour.has(key) ? () => plain : plain
  },
})

export const plainChalk = { default: plain, chalk: plain }
