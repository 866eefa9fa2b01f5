/**
 * What tests have to put away: testing helpers say it here, and `cleaning-per-file.ts` does it. Hooks of their own would belong
 * to the first file only, because files that share a worker load a module once.
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

/** Does the step after the test that runs now. What is made before the tests belongs to the file: then nothing is done. */
export function afterThisTest(step: Step): void {
  if (running) atTestEnd.push(step)
}

/** Takes the steps out of the list, the last one first. */
export async function clean(steps: Step[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step()
}
