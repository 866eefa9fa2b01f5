/** Tests what ends sessions, and their maximum, with more of them than a list of the accounts library returns. */
import type { NewTotp, Session } from '@svc/api'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { type Browser, operator, password, type Service, serve, value } from '../../../testing/page/service.ts'
import { deletePerson, disablePerson } from '../workspaces/people.ts'
import { insertLink } from './links.ts'
import { maxSessions, validSessions } from './sessions.ts'
import { findPerson, resetPassword } from './store.ts'

const anns = 'ann@example.org'
const next = 'another good password'
const more = 250
const day = 86_400_000

interface Setup {
  service: Service
  ann: Browser
  personId: string
}

/** Ann, who has signed in, and 250 further sessions of hers, as an earlier version may have left them. */
async function withMany(): Promise<Setup> {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'member')
  const { id = '' } = (await findPerson(service.store.db, anns)) ?? {}
  await addSessions(service, id, more)
  return { service, ann, personId: id }
}

async function addSessions({ store }: Service, personId: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => {
    const at = new Date(Date.now() - day - i * 1000).toISOString()
    const expiresAt = new Date(Date.now() + 10 * day).toISOString()
    const told = { ipAddress: '', userAgent: '' }
    return { id: `s${i}`, userId: personId, token: `token ${i}`, createdAt: at, updatedAt: at, expiresAt, ...told }
  })
  await store.db.insertInto('session').values(rows).execute()
}

const left = async ({ service, personId }: Setup) =>
  (await service.store.db.selectFrom('session').select('id').where('userId', '=', personId).execute()).length
const list = async ({ ann }: Setup) => (await ann.get<Session[]>('/api/web/sessions')).body
const context = ({ service }: Setup) => ({ people: service, by: operator, now: service.now() })

async function addsFactor({ service, ann }: Setup): Promise<{ status: number }> {
  const { secret } = (await ann.send<NewTotp>('POST', '/api/web/factors/totp')).body
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now() })
  return ann.send('POST', '/api/web/factors/totp/confirm', { code })
}
async function claims({ service, personId }: Setup, purpose: 'claim' | 'forgot'): Promise<{ status: number }> {
  const token = 'a link'.padEnd(43, '.')
  const person = { id: personId, name: 'Ann', email: anns }
  await insertLink({ db: service.store.db, by: operator, now: service.now() }, { purpose, person, token })
  return service.browser().send('POST', '/api/web/claim', { token, name: 'Ann', password: next })
}
const byOperator = async (done: Promise<{ ok: true; value: unknown } | { ok: false; message: string }>) => {
  value(await done)
  return { status: 200 }
}

/** Everything that ends sessions, with the number of those that are left: the present one, a new one, or none. */
const ends: Record<string, [run: (setup: Setup) => Promise<{ status: number }>, left: 0 | 1]> = {
  'the end of all other sessions': [({ ann }) => ann.send('DELETE', '/api/web/sessions'), 1],
  'a new password': [({ ann }) => ann.send('POST', '/api/web/password', { current: password, next }), 1],
  'a second factor that is added': [addsFactor, 1],
  'a forgotten password': [(setup) => claims(setup, 'forgot'), 1],
  'a link that hands the account over': [(setup) => claims(setup, 'claim'), 1],
  'a password of the operator': [
    (setup) => byOperator(resetPassword(context(setup), { email: anns, password: next })),
    0,
  ],
  'an account that the operator disables': [(setup) => byOperator(disablePerson(context(setup), anns)), 0],
  'an account that the operator deletes': [(setup) => byOperator(deletePerson(context(setup), anns)), 0],
}

describe('of 251 sessions', () => {
  test.each(Object.entries(ends))('none is left after %s but the one in use', async (_, [run, expected]) => {
    const setup = await withMany()
    expect((await list(setup)).length).toBe(more + 1)
    expect((await run(setup)).status).toBe(200)
    expect(await left(setup)).toBe(expected)
  })

  test('each can be ended, and streams of all can be checked', async () => {
    const setup = await withMany()
    const { service, ann } = setup
    expect((await ann.send('DELETE', `/api/web/sessions/s${more - 1}`)).status).toBe(200)
    const tokens = Array.from({ length: more }, (_, i) => `token ${i}`)
    expect((await validSessions(service.auth, tokens, service.now())).size).toBe(more - 1)
  })

  test('the next sign-in ends those that were unused longest', async () => {
    const setup = await withMany()
    await setup.service.signedIn(anns)
    const ids = (await list(setup)).map(({ id }) => id)
    expect(ids.length).toBe(maxSessions)
    expect(ids).toContain(`s${maxSessions - 3}`)
    expect(ids).not.toContain(`s${maxSessions - 2}`)
  })
})

test('a person has at most 100 sessions, and the new one is never the one that ends', async () => {
  const service = await serve()
  await service.workspace('north')
  await service.person('Ann', 'north', 'member')
  await service.person('Bob', 'north', 'member')
  const { id = '' } = (await findPerson(service.store.db, anns)) ?? {}
  await addSessions(service, id, maxSessions)
  const ahead = new Date(Date.now() + day).toISOString()
  await service.store.db.updateTable('session').set({ updatedAt: ahead }).where('userId', '=', id).execute()
  const late = await service.signedIn(anns)
  expect((await late.get('/api/web/me')).status).toBe(200)
  expect(await left({ service, ann: late, personId: id })).toBe(maxSessions)
  expect((await (await service.signedIn('bob@example.org')).get<Session[]>('/api/web/sessions')).body.length).toBe(2)
})
