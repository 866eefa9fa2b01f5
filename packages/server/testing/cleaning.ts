/**
 * What tests have to put away: testing helpers push it here, and `cleaning-per-file.ts` does it. Hooks of their own would belong
 * to the first file only, because files that share a worker load a module once.
 */
type Step = () => Promise<void> | void

export const atTestEnd: Step[] = []
export const atFileEnd: Step[] = []

/** Takes the steps out of the list, the last one first. */
export async function clean(steps: Step[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step()
}
