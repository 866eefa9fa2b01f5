/** Limits of tries: work is refused above its limit. Each try that failed gets a line in the log by its caller. */
import type { TryCounter, TryLimit } from '../../people/accounts/rate.ts'
import type { SignInOutcome } from '../../people/accounts/sign-in-records.ts'
import { Refusal, type WebCode } from '../../platform/refusal.ts'

interface Count {
  tries: TryCounter
  limit: TryLimit
  key: string
  now: number
  /** The codes of the refusals that count as failed tries. With `all`, every run counts, even one that succeeded. */
  wrong: readonly WebCode[] | 'all'
}

/**
 * Runs `work`, unless the limit is reached. A run counts as a try while it lasts; afterwards it still counts only if it
 * ended with one of the refusals in `wrong`, or if `wrong` is `all`.
 */
export async function asTry<T>({ tries, limit, key, now, wrong }: Count, work: () => Promise<T>): Promise<T> {
  const wait = tries.wait(key, limit, now)
  if (wait !== undefined) throw new Refusal('rate_limited', undefined, wait)
  tries.add(key, now)
  let outcome: SignInOutcome | undefined
  try {
    return await work()
  } catch (error) {
    if (wrong !== 'all') outcome = outcomeOf(error, wrong)
    throw error
  } finally {
    if (wrong !== 'all' && outcome !== 'wrong') tries.takeBack(key)
  }
}

/** The outcome of a try that ended with one of the refusals in `wrong`, or was refused by a limit. */
export function outcomeOf(error: unknown, wrong: readonly WebCode[]): SignInOutcome | undefined {
  if (!(error instanceof Refusal)) return undefined
  return wrong.includes(error.code) ? 'wrong' : error.code === 'rate_limited' ? 'limited' : undefined
}
