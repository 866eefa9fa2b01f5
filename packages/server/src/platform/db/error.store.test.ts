import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { isConstraint, isDatabaseFailure } from './error.ts'

const says = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => 'it was done',
    (fault: unknown) => fault,
  )
  return { conflict: isConstraint(error), failure: isDatabaseFailure(error) }
}

onBothEngines('errors of the database', (open) => {
  test('a duplicate primary key, a duplicate unique value, and a row without its parent are conflicts, not failures', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const row = await db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    const conflict = { conflict: true, failure: false }
    const insert = (more: object) =>
      says(
        db
          .insertInto('agent')
          .values({ ...row, ...more })
          .execute(),
      )
    const other = { id: 'other', name: 'other', token_hash: 'other' }
    expect(await insert({ ...other, id: row.id })).toEqual(conflict)
    expect(await insert({ ...other, name: row.name })).toEqual(conflict)
    expect(await insert({ ...other, workspace_id: 'nowhere' })).toEqual(conflict)
  })

  test('bad SQL and a missing value are errors of the program: neither conflicts nor failures', async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const neither = { conflict: false, failure: false }
    expect(await says(sql`select * from no_such_table`.execute(db))).toEqual(neither)
    expect(await says(sql`selekt 1`.execute(db))).toEqual(neither)
    const withoutName = sql`update agent set name = null where id = ${w.agent.id}`
    expect(await says(withoutName.execute(db))).toEqual(neither)
  })
})
