/**
 * What an agent's row keeps of its updates: standing wishes and holds as one JSON, null while there are none, and what its
 * last report said of `applied` and `runtime`. Both stand on the row that every report reads anyway, so that a report of an
 * agent without a wish costs nothing. Times are Unix milliseconds.
 */
import type { Applied, Report, RuntimeInfo } from '@svc/protocol'
import type { Served } from '../releases/store.ts'

/** A version that an admin wants an agent to run. */
export interface VersionWish {
  version: string
  at: number
  /** The person's name at that time. */
  by: string
  /** The last outcome before it (3.4): an attempt is over when the agent reports another one. Null: it had reported none. */
  mark: Applied | null
  /** With the first answer that carried it. */
  offeredAt?: number
  /** The rollout that set it. */
  rollout?: string
}
/** 2.7: stands until an admin changes or clears it (D24). */
export interface BlueprintWish extends VersionWish {
  /** When the agent last fetched its bundle. */
  fetchedAt?: number
  /** When the agent first said that it runs it. */
  keptAt?: number
  /** The version that this wish took the place of while the agent may have been at it: an outcome may be about that one. */
  earlier?: string
}
/** 3.4: over with the outcome of the attempt. */
export interface RuntimeWish extends VersionWish {
  /** Since when it may go out: a press at once, a rollout's wish when it has a place among the trials (trials.ts). */
  grantedAt?: number
  /** Since when reports name the wished version while they carry the old outcome: the trial. */
  runsSince?: number
}
/** A version that is not tried again. */
export interface HoldNote {
  version: string
  outcome: 'rolled_back' | 'failed'
  /** The agent's words. */
  message: string | null
  at: number
}
/** 3.4: held until the service serves another release than the one of this serial. */
export interface RuntimeHold extends HoldNote {
  serial: number
  /** When the attempt may have begun. */
  since?: number
}

export interface Wishes {
  blueprint?: BlueprintWish
  runtime?: RuntimeWish
  /** On the machine, as far as its outcomes tell (D25). */
  blueprintHold?: HoldNote
  runtimeHold?: RuntimeHold
}

/** What a report said of its attempts. */
export interface Attempts {
  applied?: Applied
  runtime?: RuntimeInfo
}

/** The columns of the agent's row. The last three repeat what the JSON says, for queries. */
export interface WishColumns {
  wishes: string | null
  wished_version: string | null
  runtime_wished: string | null
  /** Since when the wish counts as a trial: from its first offer, before that from the grant. */
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

/** What a report says of its attempts, as it is kept; null when it says nothing. */
export const attemptsOf = ({ applied, runtime }: Report): string | null =>
  applied || runtime ? JSON.stringify({ applied, runtime }) : null

/** 3.4: by outcome and message, not by version. */
export const sameAttempt = (applied: Applied, mark: Applied | null | undefined): boolean =>
  mark != null && applied.outcome === mark.outcome && applied.message === mark.message

/** 2.7: a press is in the next answer; a rollout's wish may have to wait for its turn. */
export const mayGoOut = ({ rollout, grantedAt }: RuntimeWish): boolean =>
  rollout === undefined || grantedAt !== undefined

/** 3.4: held until another release is served, also when that is one of the same version with other bytes. */
export const isHeld = (hold: RuntimeHold | undefined, served: Served | undefined): hold is RuntimeHold =>
  hold !== undefined && served !== undefined && hold.version === served.version && hold.serial === served.serial
