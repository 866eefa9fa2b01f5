/** Tests a password that is changed while somebody signs in with the old one, on both engines. */
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { asAnotherRequest } from '../../../testing/beside.ts'
import { password, serve } from '../../../testing/page/service.ts'
import { bothEngines, openTestPostgres } from '../../../testing/stores.ts'
import type { Store } from '../../platform/db/open.ts'

const next = 'another long password'

async function newSetup(postgres: Store) {
  const service = await serve({ postgres, passwordForm: 'scrypt' })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const { password: passwords } = await service.auth.$context
  const attempt = (secret: string) =>
    service.browser().send('POST', '/api/auth/sign-in/email', { email: 'ann@example.org', password: secret })
  return { service, ann, passwords, attempt }
}

describe.each(bothEngines)('a password that is changed while it is checked, on %s,', (_engine, open) => {
  test('the sign-in with the old password leaves no session behind', async () => {
    const { ann, passwords, attempt } = await newSetup(await open())
    const { verify } = passwords
    const changes = vi.spyOn(passwords, 'verify').mockImplementationOnce(async (asked) => {
      const right = await verify(asked)
      const body = { current: password, next }
      expect((await ann.send('POST', '/api/web/password', body)).status).toBe(200)
      return right
    })
    expect((await attempt(password)).status).toBe(401)
    expect(changes).toHaveBeenCalled()
    expect((await ann.get<unknown[]>('/api/web/sessions')).body).toHaveLength(1)
    expect((await attempt(next)).status).toBe(200)
  })
})

test('a sign-in waits for a password change that started before it was checked, on PostgreSQL', async () => {
  const { service, ann, passwords, attempt } = await newSetup(await openTestPostgres())
  const { db } = service.store
  const hash = await passwords.hash(next)
  let answered: ReturnType<typeof attempt> | undefined
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('account').set({ password: hash }).execute()
    answered = attempt(password)
    await eventually('the sign-in waits for a lock', async () => {
      const locks = asAnotherRequest(() => sql`select 1 from pg_locks where not granted`.execute(db))
      expect((await locks).rows).not.toEqual([])
    })
  })
  expect((await answered)?.status).toBe(401)
  expect((await ann.get<unknown[]>('/api/web/sessions')).body).toHaveLength(1)
})
