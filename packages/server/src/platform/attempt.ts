/**
 * Lets work for several parties, such as workspaces or agents, go on when that of one fails. A function that does work
 * for one party after another takes an `Attempt`, which decides what an error does.
 */
import type { Logger } from 'pino'

/** Does the work for one item. Resolves with true if it succeeded, and with false if the next item is to be done. */
export type Attempt = (item: string, work: () => Promise<unknown>) => Promise<boolean>

/** Lets the first error end all work. */
export const attemptOrThrow: Attempt = async (_, work) => {
  await work()
  return true
}

interface AttemptParts {
  log: Pick<Logger, 'warn'>
  now: () => number
}

/** The milliseconds after which a failure that goes on is logged again. */
const logAgainMs = 3_600_000

/**
 * Returns a function that makes the `Attempt` of a job. A failure of an item is logged, and then again only after a
 * success, or after an hour.
 */
export function createAttempts({ log, now }: AttemptParts): (job: string) => Attempt {
  const loggedAt = new Map<string, number>()

  function logFailure(job: string, item: string, error: unknown): void {
    for (const [key, at] of loggedAt) if (Math.abs(now() - at) >= logAgainMs) loggedAt.delete(key)
    const key = keyOf(job, item)
    if (loggedAt.has(key)) return
    loggedAt.set(key, now())
    log.warn({ err: error, job, ...(item !== '' && { item }) }, 'a regular job failed; the others go on')
  }

  return (job) => async (item, work) => {
    try {
      await work()
      loggedAt.delete(keyOf(job, item))
      return true
    } catch (error) {
      logFailure(job, item, error)
      return false
    }
  }
}

const keyOf = (job: string, item: string) => `${job} ${item}`
