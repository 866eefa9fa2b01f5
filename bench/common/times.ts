export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The milliseconds that `work` takes, and the CPU time of this thread in milliseconds. */
export async function timed(work: () => unknown): Promise<{ ms: number; cpu: number }> {
  const [from, before] = [performance.now(), process.threadCpuUsage()]
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return { ms: performance.now() - from, cpu: (user + system) / 1000 }
}
