/**
 * Decides what a report does to a wish for a runtime version, and whether a runtime update may be requested, by the two
 * tables of section 3.4. Pure.
 */
import type { RuntimeRefusal } from '@svc/api'
import { limits, type RefusalCode, type RuntimeInfo, refusals } from '@svc/protocol'
import type { ServedRelease } from '../releases/store.ts'
import { isReleaseHeld, type RuntimeHold, type RuntimeWish, sameAttempt } from './kept.ts'

/**
 * The seconds after which a runtime that reports the wished version counts as having kept it (D34). Its reports may not
 * show the end of the attempt, because outcome and message may be the same as those of the attempt before.
 */
const sameOutcomeSeconds = 600

/** Decides what one report does to a runtime wish, in the order of D33. `now` is in Unix milliseconds. */
export function judgeRuntimeWish(
  wish: RuntimeWish,
  runtime: RuntimeInfo | undefined,
  served: Pick<ServedRelease, 'version'> | undefined,
  now: number,
): 'dropped' | 'stands' | 'met' | 'held' {
  if (served?.version !== wish.version) return 'dropped'
  if (!runtime) return 'stands'
  const { applied, version } = runtime
  const runs = version === wish.version
  const outcome = applied && !sameAttempt(applied, wish.mark) ? applied.outcome : undefined
  if (outcome === undefined) return runs && runsLong(wish, now) ? 'met' : 'stands'
  if (outcome === 'ok') return runs ? 'met' : 'stands'
  return 'held'
}

/** True if the runtime has reported the wished version for more than `sameOutcomeSeconds` (D34). */
const runsLong = ({ runsSince }: RuntimeWish, now: number): boolean =>
  runsSince !== undefined && now - runsSince > sameOutcomeSeconds * 1000

/**
 * Decides whether a runtime update may be requested. The first reason against it, in the order of D36, is the refusal;
 * the message quotes why a version is on hold.
 */
export function judgeRuntimeRequest(
  runtime: RuntimeInfo | undefined,
  hold: RuntimeHold | undefined,
  served: ServedRelease | undefined,
): { ok: true; served: ServedRelease } | { ok: false; code: RuntimeRefusal; message: string } {
  if (!served) return refuse('runtime_not_served', 'Add one with "svc-server release add".')
  if (!runtime) return refuse('runtime_too_old', 'Reinstall it once on the machine.')
  const { version, pinned } = runtime
  if (version === served.version) return refuse('runtime_up_to_date', `That is ${served.version}.`)
  if (pinned !== undefined && pinned !== served.version)
    return refuse('runtime_pinned', `That is ${pinned}. To unpin it, run "svc pin-runtime off" on the machine.`)
  if (isReleaseHeld(hold, served))
    return refuse('runtime_version_held', `${heldBecause(hold)} Fix the cause, lift the hold and request it again.`)
  return { ok: true, served }
}

const heldBecause = ({ version, outcome, message }: RuntimeHold): string =>
  `${version} ${outcome === 'failed' ? 'failed' : 'was rolled back'}${message ? `: ${message}` : ''}.`.replace(
    /\.\.$/,
    '.',
  )

const refuse = <Code extends RuntimeRefusal & RefusalCode>(code: Code, more: string) =>
  ({ ok: false, code, message: `${refusals[code][1]} ${more}` }) as const

/**
 * The longest time in milliseconds that an offered trial may take: the download (D59), the trial itself, and a second
 * trial after a reboot (D38).
 */
export const maxTrialMs = (600 + 2 * limits.trialSeconds) * 1000
