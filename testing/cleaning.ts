/**
 * Collects the cleanup steps of testing helpers, which `cleaning-per-file.ts` runs. The helpers cannot register
 * Vitest's hooks themselves: test files that share a worker load a module only once, so its hooks would apply to the
 * first file only.
 */
type Step = () => Promise<unknown> | unknown

export const atTestEnd: Step[] = []
export const atFileEnd: Step[] = []

let running = false
export const testBegins = (): void => {
  running = true
}
export async function testEnds(): Promise<void> {
  running = false
  await clean(atTestEnd)
}

// Vitest ends its workers with this signal, which without a listener leaves no time for the steps of `atExit`.
process.once('SIGTERM', () => process.exit(143))

/**
 * Runs a cleanup step after the current test. If no test is running, the step is ignored, because what helpers make
 * before the first test is needed by the whole file.
 */
export function afterThisTest(step: Step): void {
  if (running) atTestEnd.push(step)
}

/** Runs the cleanup steps of a list, beginning with the last one, and empties the list. */
export async function clean(steps: Step[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step()
}
