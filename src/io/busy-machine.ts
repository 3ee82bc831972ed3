/** How much longer than on an idle machine work may take that is waited for. */
import { availableParallelism, loadavg } from "node:os"

/** 1 if each process has a processor, and at most 4: the load of the last minute for each processor. Always 1 on Windows. */
export const busyFactor = (): number => Math.min(4, Math.max(1, loadavg()[0]! / availableParallelism()))
