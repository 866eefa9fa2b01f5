import type { Db } from '../../platform/db/open.ts'

/** The person who acts, by id and current name. The id is null for the operator's command line and the service. */
export interface Actor {
  id: string | null
  name: string
}

/**
 * The context of a change: the database or transaction to write to, the person who makes the change, and the time in
 * Unix milliseconds.
 */
export interface ChangeContext<B = Actor, D = Db> {
  readonly db: D
  readonly by: B
  readonly now: number
}
