/** Stores whether a person wants to see the first steps of a workspace. */
import type { Db } from '../../platform/db/open.ts'

/** True once the page showed the person the steps, false once they dismissed them; undefined before both. */
export async function onboardingWanted(db: Db, personId: string): Promise<boolean | undefined> {
  const row = await db.selectFrom('onboarding').select('wanted').where('person_id', '=', personId).executeTakeFirst()
  return row && Number(row.wanted) === 1
}

/** Stores whether the person wants to see the first steps. */
export async function wantOnboarding(trx: Db, personId: string, wanted: boolean, now: number): Promise<void> {
  const row = { wanted: wanted ? 1 : 0, at: now }
  await trx
    .insertInto('onboarding')
    .values({ person_id: personId, ...row })
    .onConflict((oc) => oc.column('person_id').doUpdateSet(row))
    .execute()
}
