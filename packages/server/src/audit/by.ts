import type { Db } from '../db/open.ts'

/** A person, by id and by the name of this moment; id null for the operator's command line. */
export interface By {
  id: string | null
  name: string
}

/** What a change is made with: the database or the transaction that it is written to, who makes it, and when (Unix milliseconds). */
export interface Ctx<B = By, D = Db> {
  readonly db: D
  readonly by: B
  readonly now: number
}
