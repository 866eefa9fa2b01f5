/**
 * Limits how often a password may be tried. Only failed tries count. A network address that has not failed anywhere may
 * try every account, and a browser that signed in to the account before is counted separately, so strangers cannot lock
 * anybody out.
 */
import { TryCounter, type TryLimit } from './rate.ts'

/** The limits for signing in. docs/operator.md has the table. */
const signInLimits = {
  /** The maximum number of failed sign-ins from one network address, at all accounts together. */
  perCaller: { max: 30, seconds: 300 },
  /** The maximum number of failed sign-ins from one network address at one account. */
  perAccountAndCaller: { max: 8, seconds: 300 },
  /**
   * The maximum number of failed sign-ins from all network addresses together at one account. When it is exceeded,
   * addresses that have failed at the account are slowed down.
   */
  perAccount: { max: 100, seconds: 3600 },
  /** The maximum number of failed sign-ins from one network address at an account that has exceeded `perAccount`. */
  perAccountAndCallerSlow: { max: 2, seconds: 900 },
  /** The maximum number of failed sign-ins from one browser that has signed in to the account before. */
  perDevice: { max: 8, seconds: 300 },
} as const satisfies Record<string, TryLimit>

export interface SignInAttempt {
  /** The client's network address, as it is counted (D16). */
  caller: string
  /** The e-mail address that was typed, in its normal form. */
  account: string
  /** The id of the browser, if it has signed in to this account before. */
  device: string | undefined
}

/** A try to sign in that was admitted. It counts as failed unless `succeeded` or `undo` is called. */
interface AdmittedTry {
  succeeded(): void
  /** Removes the try from the count, because the password was not checked: the service was busy, or had an error. */
  undo(): void
}
type Admission = { ok: true; value: AdmittedTry } | { ok: false; wait: number }

/** Creates the counter of failed sign-ins, which admits or refuses each try. */
export function countSignIns(limits = signInLimits) {
  const callers = new TryCounter(limits.perCaller)
  const pairs = new TryCounter({ ...limits.perAccountAndCaller, seconds: limits.perAccountAndCallerSlow.seconds })
  const accounts = new TryCounter(limits.perAccount)
  const devices = new TryCounter(limits.perDevice)

  function begin(attempt: SignInAttempt, now: number): Admission {
    return attempt.device === undefined ? stranger(attempt, now) : known(attempt.device, now)
  }

  function known(device: string, now: number): Admission {
    const wait = devices.wait(device, limits.perDevice, now)
    if (wait !== undefined) return { ok: false, wait }
    devices.add(device, now)
    return { ok: true, value: { succeeded: () => devices.forget(device), undo: () => devices.takeBack(device) } }
  }

  function stranger({ caller, account }: SignInAttempt, now: number): Admission {
    const pair = `${caller} ${account}`
    const attacked = accounts.wait(account, limits.perAccount, now) !== undefined
    const perPair = attacked ? limits.perAccountAndCallerSlow : limits.perAccountAndCaller
    const wait = callers.wait(caller, limits.perCaller, now) ?? pairs.wait(pair, perPair, now)
    if (wait !== undefined) return { ok: false, wait }
    callers.add(caller, now)
    pairs.add(pair, now)
    accounts.add(account, now)
    const undo = () => {
      callers.takeBack(caller)
      pairs.takeBack(pair)
      accounts.takeBack(account)
    }
    const succeeded = () => {
      undo()
      pairs.forget(pair)
    }
    return { ok: true, value: { succeeded, undo } }
  }

  return { begin }
}
