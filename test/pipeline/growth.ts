/** How much more CPU sixteen times the work takes: linear work about sixteen times as much, quadratic work 256. */
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
  await least(count, 2)
  const small = await least(count, 4)
  return (await least(count * 16, 2)) / small
}

/** Far from both, because a collector of garbage has its share in either. */
export const growthLimit = 128
