/**
 * The columns of the agent's row about its updates: wishes and holds as one JSON (null while there are none), and
 * `applied` and `runtime` of its last report. They are in the row that every report reads anyway, so that a report of
 * an agent without a wish costs nothing. Times are Unix milliseconds.
 */
import type { Applied, Report, RuntimeInfo } from '@svc/protocol'
import type { Served } from '../releases/store.ts'

/** A version that an admin wants an agent or its runtime to run. */
export interface VersionWish {
  version: string
  at: number
  /** The name of the person who made it, at that time. */
  by: string
  /**
   * The agent's last outcome before the wish, null if there was none (3.4). The attempt is over when the agent reports
   * another one.
   */
  mark: Applied | null
  /** The time of the first answer that carried it. */
  offeredAt?: number
  /** The id of the rollout that made it. */
  rollout?: string
}
/** 2.7: this wish stays until an admin changes or clears it (D24). */
export interface BlueprintWish extends VersionWish {
  /** The time at which the agent fetched the bundle. */
  fetchedAt?: number
  /** The time at which the agent first reported that it runs the version. */
  keptAt?: number
  /** The version wished before, if the agent may already be installing it; a reported outcome may refer to it. */
  earlier?: string
}
/** 3.4: this wish ends with the outcome of the attempt. */
export interface RuntimeWish extends VersionWish {
  /**
   * The time from which it may be offered: at once for an admin's request; for a rollout's wish, once it has a trial
   * place (trials.ts).
   */
  grantedAt?: number
  /** The start of the trial: reports name the wished version and still carry the old outcome. */
  runsSince?: number
}
/** A version that failed or was rolled back, and is not tried again. */
export interface HoldNote {
  version: string
  outcome: 'rolled_back' | 'failed'
  /** The message that the agent reported. */
  message: string | null
  at: number
}
/** 3.4: applies until the service serves a release with another serial than this one. */
export interface RuntimeHold extends HoldNote {
  serial: number
  /** The earliest time at which the attempt may have started. */
  since?: number
}

export interface Wishes {
  blueprint?: BlueprintWish
  runtime?: RuntimeWish
  /** The hold on the machine, as far as its reported outcomes tell (D25). */
  blueprintHold?: HoldNote
  runtimeHold?: RuntimeHold
}

/** The part of a report about update attempts. */
export interface Attempts {
  applied?: Applied
  runtime?: RuntimeInfo
}

/** The columns of the agent's row. The last three repeat parts of the JSON, for queries. */
export interface WishColumns {
  wishes: string | null
  wished_version: string | null
  runtime_wished: string | null
  /** The time from which the wish counts as a trial: its first offer, or until then its grant. */
  runtime_granted_at: number | null
}

export const wishesIn = (column: string | null): Wishes => (column === null ? {} : (JSON.parse(column) as Wishes))

export const columnsOfWishes = (wishes: Wishes): WishColumns => ({
  wishes: Object.values(wishes).every((part) => part === undefined) ? null : JSON.stringify(wishes),
  wished_version: wishes.blueprint?.version ?? null,
  runtime_wished: wishes.runtime?.version ?? null,
  runtime_granted_at: wishes.runtime?.offeredAt ?? wishes.runtime?.grantedAt ?? null,
})

export const attemptsIn = (column: string | null): Attempts => (column === null ? {} : (JSON.parse(column) as Attempts))

/** The stored JSON of a report's attempts; null when it describes none. */
export const attemptsOf = ({ applied, runtime }: Report): string | null =>
  applied || runtime ? JSON.stringify({ applied, runtime }) : null

/** 3.4: attempts are compared by outcome and message, not by version. */
export const sameAttempt = (applied: Applied, mark: Applied | null | undefined): boolean =>
  mark != null && applied.outcome === mark.outcome && applied.message === mark.message

/** 2.7: an admin's request is in the next answer; a rollout's wish may have to wait for a trial place. */
export const mayGoOut = ({ rollout, grantedAt }: RuntimeWish): boolean =>
  rollout === undefined || grantedAt !== undefined

/** 3.4: held until another release is served, even one of the same version with other bytes. */
export const isHeld = (hold: RuntimeHold | undefined, served: Served | undefined): hold is RuntimeHold =>
  hold !== undefined && served !== undefined && hold.version === served.version && hold.serial === served.serial
