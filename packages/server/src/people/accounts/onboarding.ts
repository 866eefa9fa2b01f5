/** Stores whether a person was shown the first steps of a workspace, or dismissed them. */
import type { Db } from '../../platform/db/open.ts'

/** True once the page showed the person the steps, false once they dismissed them; undefined before both. */
export async function onboardingWanted(db: Db, personId: string): Promise<boolean | undefined> {
  const row = await db.selectFrom('onboarding').select('wanted').where('person_id', '=', personId).executeTakeFirst()
  return row && Number(row.wanted) === 1
}

/**
 * Stores that a person was shown the steps (`wanted` is true), or that they dismissed them. Dismissed steps stay
 * dismissed: an open window may say late that it showed them.
 */
export async function noteOnboarding(trx: Db, personId: string, wanted: boolean, now: number): Promise<void> {
  const row = { wanted: wanted ? 1 : 0, at: now }
  await trx
    .insertInto('onboarding')
    .values({ person_id: personId, ...row })
    .onConflict((oc) => (wanted ? oc.doNothing() : oc.column('person_id').doUpdateSet(row)))
    .execute()
}
