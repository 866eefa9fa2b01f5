/**
 * The cleanup steps of testing helpers, which `cleaning-per-file.ts` runs. Helpers cannot register hooks themselves:
 * files that share a worker load a module only once, so the hooks would belong to the first file.
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

/**
 * Runs the step after the current test. Outside of a test it does nothing, since what is made before the tests belongs
 * to the file.
 */
export function afterThisTest(step: Step): void {
  if (running) atTestEnd.push(step)
}

/** Runs the steps, the last one first, and empties the list. */
export async function clean(steps: Step[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step()
}
