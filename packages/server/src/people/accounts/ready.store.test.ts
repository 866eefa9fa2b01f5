import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../testing/stores.ts'
import { StoreError } from '../../platform/db/error.ts'
import { openAuth, warmUpAuth } from './auth.ts'
import { decideWithAccounts } from './library.ts'

const setup = { baseUrl: 'http://localhost', secret: 'a secret of the tests, long enough' }

onBothEngines('the accounts library', (open) => {
  test('is ready before a transaction of the service begins', async () => {
    const store = await open()
    const auth = openAuth(store, setup)
    const asked = decideWithAccounts({ store, auth }, async () => ({
      ok: true,
      value: await auth.api.getSession({ headers: new Headers() }),
    }))
    expect(await asked).toEqual({ ok: true, value: null })
  })

  test.each([
    [
      'a column is missing',
      sql`alter table session drop column "userAgent"`,
      'the column userAgent of the table session is missing',
    ],
    ['a table is missing', sql`drop table account`, 'the table account is missing'],
    [
      'another program added a column',
      sql`alter table invitation rename column role to mine`,
      'the column role of the table invitation is missing',
    ],
  ])('ends a start with a sentence when %s', async (_, change, says) => {
    const store = await open()
    await change.execute(store.db)
    const ready = warmUpAuth(openAuth(store, setup))
    await expect(ready).rejects.toThrow(StoreError)
    await expect(ready).rejects.toThrow(says)
  })
})
