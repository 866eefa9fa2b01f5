/**
 * Limits how often somebody may try to sign in: above the limit, a try is refused. The callers of these functions write
 * a line to the log about each failed try.
 */
import type { Verdict } from '@svc/protocol'
import { TryCounter, type TryLimit } from '../../people/accounts/rate.ts'
import type { SignInOutcome } from '../../people/accounts/sign-in-records.ts'
import { Refusal, type WebCode } from '../../platform/refusal.ts'
import { done, refuse } from '../../platform/verdict.ts'

interface TryRules {
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
export async function runAsTry<T>({ tries, limit, key, now, wrong }: TryRules, work: () => Promise<T>): Promise<T> {
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

/** The limit of callbacks from the provider that fail, of one known browser, or else from one network address. */
const perCallerProvider: TryLimit = { max: 30, seconds: 300 }
/**
 * The maximum number of pending callbacks of one known browser, or else from one network address. It is high, since the
 * people of an office share an address, and a provider may be slow.
 */
const maxPending = 100
/** The maximum number of pending callbacks of all callers together, so that a slow provider does not fill a node. */
const maxPendingTotal = 300

/** A callback of the provider, while the service calls the provider for it. */
interface ProviderTry {
  /** Counts this callback as a failed one at `now`, in Unix milliseconds. */
  failed(now: number): void
  /** Ends the callback, which is pending until then. It must be called after the last call of the provider. */
  end(): void
}

/**
 * Limits the calls of the provider, so that a stranger does not have the service call it without end. A callback counts
 * as a failed try only once it has failed, so people behind one address do not lock each other out.
 */
export function providerTries(): ProviderTries {
  const failures = new TryCounter(perCallerProvider)
  /** The key of each pending callback, by its state. */
  const pending = new Map<string, string>()
  return {
    begin(key, state, now) {
      if (pending.has(state)) return refuse('failed', 'used_before')
      if (failures.wait(key, perCallerProvider, now) !== undefined) return refuse('busy', 'too_many_tries')
      const ofKey = [...pending.values()].filter((each) => each === key).length
      if (ofKey >= maxPending || pending.size >= maxPendingTotal) return refuse('busy', 'too_many_pending')
      pending.set(state, key)
      return done({ failed: (at) => failures.add(key, at), end: () => void pending.delete(state) })
    },
  }
}

interface ProviderTries {
  /**
   * Begins a callback. It is refused if a callback with the same `state` is pending, since a browser comes back once
   * from a visit, or if too many callbacks have failed or are pending. The message of a refusal is for the log.
   */
  begin(key: string, state: string, now: number): Verdict<ProviderTry, 'failed' | 'busy'>
}
