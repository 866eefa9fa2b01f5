/**
 * The columns of the agent's row about updates: wishes and holds as one JSON (null if there are none), and the fields
 * `applied` and `runtime` of the agent's last report. Every report reads the agent's row anyway, so these columns cost
 * no further query. Times are Unix milliseconds.
 */
import type { AppliedUpdate, Report, RuntimeInfo } from '@svc/protocol'
import type { ServedRelease } from '../releases/store.ts'

/** A version that an admin wants an agent or its runtime to run. */
export interface VersionWish {
  version: string
  at: number
  /** The name of the person who made the wish, as it was then. */
  by: string
  /**
   * The last outcome that the agent had reported before the wish; null if there was none (3.4). When the agent reports
   * another outcome, the attempt is over.
   */
  mark: AppliedUpdate | null
  /** The time of the first answer that carried the wish. */
  offeredAt?: number
  /** The id of the rollout that made the wish; missing if a person made it. */
  rollout?: string
}
/** A wish for a blueprint version (2.7). It stays until an admin changes or clears it (D24). */
export interface BlueprintWish extends VersionWish {
  /** The time at which the agent fetched the bundle of the requested version. */
  fetchedAt?: number
  /** The time at which the agent first reported that it runs the version. */
  keptAt?: number
  /**
   * The version that was wished before this wish, if the agent may already be installing it. An outcome that the agent
   * reports may be about that version.
   */
  earlier?: string
  /**
   * The time at which a person decided not to wait for the end of the watch (D30). Answers then say `now`, until the
   * version was kept or rolled back.
   */
  hurriedAt?: number
}
/** A wish for a runtime version (3.4). It ends with the outcome of the attempt. */
export interface RuntimeWish extends VersionWish {
  /**
   * The time from which the wish may be offered. A wish of an admin may be offered at once, and a rollout's wish when
   * it gets a trial slot (trials.ts).
   */
  grantedAt?: number
  /**
   * The time since which reports name the wished version as running, but still carry the outcome of an earlier attempt.
   * The wished version is then on trial.
   */
  runsSince?: number
}
/** A version that failed or was rolled back, and is not tried again. */
export interface HoldNote {
  version: string
  outcome: 'rolled_back' | 'failed'
  /** The message that the agent reported about the attempt; null if it reported none. */
  message: string | null
  at: number
}
/**
 * A runtime version that is on hold, with the serial of the release that was tried. The hold applies only while the
 * service serves the release with this serial (3.4).
 */
export interface RuntimeHold extends HoldNote {
  serial: number
  /** The earliest time at which the attempt may have started. */
  since?: number
}

/** The wishes and holds of one agent. */
export interface Wishes {
  blueprint?: BlueprintWish
  runtime?: RuntimeWish
  /**
   * The blueprint version that the agent's machine has on hold, as the service concludes from the outcomes that the
   * agent reported (D25).
   */
  blueprintHold?: HoldNote
  runtimeHold?: RuntimeHold
}

/** The part of a report about update attempts. */
export interface UpdateAttempts {
  applied?: AppliedUpdate
  runtime?: RuntimeInfo
}

/**
 * The columns of the agent's row about wishes. `wishes` holds everything as JSON; the other three repeat parts of it,
 * so that queries can use them.
 */
export interface WishColumns {
  wishes: string | null
  wished_version: string | null
  runtime_wished: string | null
  /**
   * The time since which the runtime wish counts as a trial: its first offer, or until then the time at which it got a
   * trial slot. Null before both.
   */
  runtime_granted_at: number | null
}

export const wishesIn = (column: string | null): Wishes => (column === null ? {} : (JSON.parse(column) as Wishes))

export const columnsOfWishes = (wishes: Wishes): WishColumns => ({
  wishes: Object.values(wishes).every((part) => part === undefined) ? null : JSON.stringify(wishes),
  wished_version: wishes.blueprint?.version ?? null,
  runtime_wished: wishes.runtime?.version ?? null,
  runtime_granted_at: wishes.runtime?.offeredAt ?? wishes.runtime?.grantedAt ?? null,
})

export const readAttempts = (column: string | null): UpdateAttempts =>
  column === null ? {} : (JSON.parse(column) as UpdateAttempts)

/** The part of a report about update attempts, as JSON to store; null if the report says nothing about them. */
export const attemptsColumn = ({ applied, runtime }: Report): string | null =>
  applied || runtime ? JSON.stringify({ applied, runtime }) : null

/**
 * True if a reported outcome and an earlier one (`mark`) are about the same attempt, which means that outcome and
 * message are equal (3.4). The versions are not compared.
 */
export const sameAttempt = (applied: AppliedUpdate, mark: AppliedUpdate | null | undefined): boolean =>
  mark != null && applied.outcome === mark.outcome && applied.message === mark.message

/**
 * True if the next answer may carry the runtime wish. A wish of an admin always may be carried, a rollout's wish only
 * after it got a trial slot (2.7).
 */
export const mayBeOffered = ({ rollout, grantedAt }: RuntimeWish): boolean =>
  rollout === undefined || grantedAt !== undefined

/**
 * True if the served release is on hold for the agent. Serving another release ends the hold, even if it has the same
 * version but other bytes (3.4).
 */
export const isReleaseHeld = (hold: RuntimeHold | undefined, served: ServedRelease | undefined): hold is RuntimeHold =>
  hold !== undefined && served !== undefined && hold.version === served.version && hold.serial === served.serial
