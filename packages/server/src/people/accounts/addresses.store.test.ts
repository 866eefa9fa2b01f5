/** Tests that every place at which a person gives an address reads it in the same way, on both engines. */
import { describe, expect, test } from 'vitest'
import { mailbox } from '../../../../../testing/mailbox.ts'
import { password, serve } from '../../../testing/page/service.ts'
import { everyEngine, onEveryEngine } from '../../../testing/stores.ts'
import type { Store } from '../../platform/db/open.ts'
import { createLink } from './links.ts'
import { findPerson, listPeople } from './store.ts'

/** Serves a workspace with Ann as its admin, and Bob, whose address is stored as `stored`. */
async function newSetup(postgres: Store, stored: string) {
  const { url } = await mailbox()
  const service = await serve({ postgres, smtpUrl: url })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  await service.person('Bob', 'north', 'member')
  await service.store.db.updateTable('user').set({ email: stored }).where('name', '=', 'Bob').execute()
  const signsIn = async (email: string) =>
    (await service.browser().send<object>('POST', '/api/auth/sign-in/email', { email, password })) as {
      status: number
      body: { error?: { code: string; message: string } }
    }
  return { service, ann, signsIn }
}

describe.each(everyEngine)('an address, on %s,', (_engine, open) => {
  test('that is not ASCII signs in, in any case, NFC or NFD, and with what was pasted around it', async () => {
    const { signsIn } = await newSetup(await open(), 'jürgen@example.org')
    for (const typed of [
      'jürgen@example.org',
      'JÜRGEN@Example.ORG',
      'ju\u0308rgen@example.org',
      ' jürgen@example.org\u200b',
    ])
      expect((await signsIn(typed)).status, typed).toBe(200)
    expect((await signsIn('jurgen@example.org')).status).toBe(401)
  })

  test.each([
    'bob@example.org\u200b',
    'b\u0007ob@example.org',
    'bo\u202eb@example.org',
    'ju\u0308rgen@example.org',
    'bob..x@example.org',
  ])(
    'that an earlier version stored as %j signs in as it is stored, and as nothing else with an invisible part',
    async (stored) => {
      const { signsIn } = await newSetup(await open(), stored)
      expect((await signsIn(stored)).status).toBe(200)
      expect((await signsIn(stored.toUpperCase())).status).toBe(200)
      expect(await signsIn('bo\u2060b@example.org')).toMatchObject({
        status: 400,
        body: { error: { code: 'email_invalid', message: expect.stringContaining('U+2060, after bo') } },
      })
    },
  )

  test.each([
    ['bo\u200bx@example.org', 'U+200B, after bo'],
    ['bo\u0000x@example.org', 'U+0000, after bo'],
    ['bo\u0007x@example.org', 'U+0007, after bo'],
    ['bob..x@example.org', 'two in a row'],
    ['bob@-x', 'hyphen'],
    ['bоx@example.org', 'mixes Latin and Cyrillic'],
  ])('%j is refused wherever it is new', async (typed, says) => {
    const { service, ann } = await newSetup(await open(), 'bob@example.org')
    const first = await createLink(
      { db: service.store.db, by: { id: null, name: 'operator' }, now: Date.now() },
      'first',
      null,
    )
    const token = first.ok ? first.value : ''
    const start = { token, name: 'Cid', email: typed, password, workspace: 'South', slug: 'south' }
    const channel = { name: 'ops', kind: 'email', to: typed }
    const answers = [
      await ann.send('POST', '/api/web/w/north/invitations', { email: typed, role: 'member' }),
      await service.browser().send('POST', '/api/web/start', start),
      await service.browser().send('POST', '/api/web/forgot', { email: typed }),
    ]
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(says) } } })
    expect(await listPeople(service.store.db)).toHaveLength(2)
    if (service.config.smtpUrl !== undefined)
      expect(await ann.send('POST', '/api/web/w/north/channels', channel)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining(says) } },
      })
  })

  test('cannot be given to a second account that looks the same', async () => {
    const { ann } = await newSetup(await open(), 'bob@example.org\u200b')
    const answer = await ann.send('POST', '/api/web/w/north/invitations', { email: 'bob@example.org', role: 'member' })
    expect(answer).toMatchObject({
      status: 409,
      body: { error: { code: 'email_taken', message: expect.stringContaining('U+200B, after bob@example.org') } },
    })
  })

  test('of an invitation is stored in its normal form, and its link works with what was pasted around it', async () => {
    const { service, ann } = await newSetup(await open(), 'bob@example.org')
    const invited = await ann.send<{ url: string }>('POST', '/api/web/w/north/invitations', {
      email: 'Ju\u0308rgen@Example.org\u2060',
      role: 'member',
    })
    const path = `/api/web/invitations/${invited.body.url.split('/').at(-1)}`
    const info = await service.browser().get<{ email: string }>(`${path}%E2%80%8B`)
    expect(info.body.email).toBe('jürgen@example.org')
    const joined = await service.browser().send('POST', path, { name: 'Jürgen', password })
    expect(joined.status).toBe(200)
    expect(await findPerson(service.store.db, 'JÜRGEN@example.org')).toMatchObject({ email: 'jürgen@example.org' })
  })
})

onEveryEngine('an address that no engine can compare', (open) => {
  test('has no account', async () => {
    const { db } = await open()
    expect(await findPerson(db, 'b\0ob@example.org')).toBeUndefined()
  })
})
