/** How much more CPU 64 times the work takes: linear work about 64 times as much, quadratic work 4096. */
export const growth = async (work: (count: number) => Promise<unknown>, count: number): Promise<number> => {
  const least = async (size: number, times: number) => {
    let cost = Number.POSITIVE_INFINITY
    for (let i = 0; i < times; i++) {
      const before = process.cpuUsage()
      await work(size)
      const { user, system } = process.cpuUsage(before)
      cost = Math.min(cost, user + system)
    }
    return cost
  }
  await least(count, 4)
  const small = await least(count, 8)
  return (await least(count * 64, 2)) / small
}

/** Far from both: on a busy machine, the garbage and the cold caches of much work cost linear work four times as much. */
export const growthLimit = 768
