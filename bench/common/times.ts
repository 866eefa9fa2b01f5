/** The middle value; with an even number of values, the mean of the two in the middle. NaN if there is none. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** The two values between which half of all values are: as many are below the first as are above the second. */
export function middleHalf(values: readonly number[]): readonly [from: number, to: number] {
  const sorted = ascending(values)
  const quarter = Math.floor(sorted.length / 4)
  return [sorted[quarter] ?? Number.NaN, sorted.at(-1 - quarter) ?? Number.NaN]
}

/** The value that the given share of the values do not exceed: with 1 the largest one. NaN if there is none. */
export function valueAt(values: readonly number[], share: number): number {
  const last = values.length - 1
  return ascending(values)[Math.min(last, Math.floor(values.length * share))] ?? Number.NaN
}

const ascending = (values: readonly number[]) => values.toSorted((a, b) => a - b)

/** The milliseconds that `work` takes, and the CPU time of this thread in milliseconds. */
export async function measureWork(work: () => unknown): Promise<{ ms: number; cpu: number }> {
  const [from, before] = [performance.now(), process.threadCpuUsage()]
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return { ms: performance.now() - from, cpu: (user + system) / 1000 }
}
