/**
 * Each way to get a session, and what people do in one, is the first request of a service that has just started. What a
 * library does at its first use must have happened at the start.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { atTestEnd } from '../../../../testing/cleaning.ts'
import { freePort } from '../../../../testing/free-port.ts'
import { byLevel } from '../../../../testing/level.ts'
import { type Browser, browserOf, operator, value } from '../../testing/page/service.ts'
import { newPostgresDatabase, newSqliteFile } from '../../testing/stores.ts'
import { decideWithAccounts } from '../people/accounts/library.ts'
import { insertLink } from '../people/accounts/links.ts'
import { insertPerson } from '../people/accounts/store.ts'
import { beginFirstHalf } from '../people/factors/first-halves.ts'
import { confirmFactor, replaceRecovery, storeTotp } from '../people/factors/store.ts'
import { inviteAsOperator } from '../people/workspaces/invitations.ts'
import { createWorkspace } from '../people/workspaces/store.ts'
import { createDataFolder, databaseFile, secretOf } from '../platform/data-folder.ts'
import { seal, sealKeyOf } from '../platform/seal.ts'
import { configOf, type ServiceSettings } from './config.ts'
import { openService } from './open.ts'
import { startService } from './service.ts'

const anns = 'ann@example.org'
const password = 'correct horse battery'
const next = 'another good password'
const secret = new Secret({ size: 20 }).base32
const api = (path: string) => `/api/web${path}`

/** The data that the database has before the first start: things of Ann, an account with an authenticator app. */
interface Prepared {
  recovery: string
  invitation: string
  /** The cookies of a session of Ann, in which a factor was shown. */
  cookie: string
}

const token = (name: string) => name.replaceAll(' ', '-').padEnd(43, '-')
const half = (name: string) => `svc.half=${token(name)}`
const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate()

type First = (browser: Browser, given: Prepared) => Promise<{ status: number }>

/**
 * The first requests. Their order matters: the code of an app is good once, and a new password ends the other sessions.
 */
const firsts: Record<string, First> = {
  'the link for the first person': (browser) =>
    browser.send('POST', api('/start'), {
      ...{ token: token('first'), name: 'Kim', email: 'kim@example.org', password: next },
      ...{ workspace: 'North', slug: 'first-north' },
    }),
  'a password': (browser) => browser.send('POST', '/api/auth/sign-in/email', { email: anns, password }),
  'a link of the operator': (browser) => browser.send('POST', api('/link'), { token: token('sign_in') }),
  'an invitation': (browser, { invitation }) =>
    browser.send('POST', api(`/invitations/${invitation}`), { name: 'Bob', password: next }),
  'the code of an authenticator app': (browser) =>
    browser.send('POST', api('/second-factor'), { code: code() }, { cookie: half('code') }),
  'a recovery code': (browser, { recovery }) =>
    browser.send('POST', api('/second-factor'), { recovery }, { cookie: half('recovery') }),
  'an open session': (browser, { cookie }) => browser.send('GET', api('/me'), undefined, { cookie }),
  'the end of the other sessions': (browser, { cookie }) =>
    browser.send('DELETE', api('/sessions'), undefined, { cookie }),
  'a new password in a session': (browser, { cookie }) =>
    browser.send('POST', api('/password'), { current: password, next }, { cookie }),
  'the end of a session': (browser, { cookie }) => browser.send('POST', '/api/auth/sign-out', undefined, { cookie }),
  'a link for a forgotten password': (browser) =>
    browser.send('POST', api('/claim'), { token: token('forgot'), name: 'Ann', password: next }),
  'a link that hands an account over': (browser) =>
    browser.send('POST', api('/claim'), { token: token('claim'), name: 'Cyd', password: next }),
}

/** Each row costs a start, so only those that write within a transaction of the service are run each time. */
const rows = byLevel(['the code of an authenticator app', 'a recovery code'], Object.keys(firsts), Object.keys(firsts))

/** Makes a migrated database. Each process uses the library for the first time, also if another one made the tables. */
const engines = {
  SQLite: async (dataDir: string) => {
    createDataFolder(dataDir)
    copyFileSync(await newSqliteFile(), databaseFile(dataDir))
    return {}
  },
  PostgreSQL: async () => ({ SVC_DATABASE_URL: await newPostgresDatabase() }),
}

describe.each(Object.entries(engines))('the first request after a start (%s)', (_, database) => {
  test('is answered, whichever it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-first-'))
    atTestEnd.push(() => rmSync(folder, { recursive: true, force: true }))
    const config = configOf(
      {
        ...(await database(join(folder, 'data'))),
        SVC_DATA_DIR: join(folder, 'data'),
        SVC_PORT: String(await freePort()),
        SVC_METRICS_PORT: '0',
      },
      folder,
    )
    const given = await prepare(config)
    for (const [name, first] of Object.entries(firsts).filter(([name]) => rows.includes(name))) {
      const service = await startService(config, pino({ level: 'silent' }))
      const browser = browserOf(config.baseUrl)
      const answer = await first(browser, given)
      expect([name, answer]).toMatchObject([name, { status: 200 }])
      if (name === 'the code of an authenticator app') given.cookie = browser.cookie
      await service.close(30_000)
    }
  })
})

async function prepare(config: ServiceSettings): Promise<Prepared> {
  const opened = await openService(config, Date.now, async () => false)
  if (!opened) throw new Error('The service was not opened.')
  const { auth, now, store } = opened
  const { db } = store
  const context = { people: opened, by: operator, db, now: now() }
  const { password: hashing } = await auth.$context
  const hash = await hashing.hash(password)
  const person = async (email: string, name: string) =>
    value(
      await decideWithAccounts(opened, (trx, accounts) =>
        insertPerson({ ...context, db: trx }, accounts, { email, name, hash }),
      ),
    )
  const ann = await person(anns, 'Ann')
  const links = { sign_in: ann, forgot: ann, claim: await person('cyd@example.org', 'Cyd'), first: null }
  for (const [purpose, of] of Object.entries(links) as [keyof typeof links, (typeof links)[keyof typeof links]][])
    await insertLink(context, { purpose, person: of, token: token(purpose) })
  const sealed = seal(sealKeyOf(secretOf(config.dataDir), 'totp'), ann.id, secret)
  await storeTotp(db, ann.id, sealed, now())
  await confirmFactor(db, { person_id: ann.id, secret: sealed }, 1, now())
  const [recovery = ''] = await replaceRecovery(db, ann.id, now())
  for (const name of ['code', 'recovery'])
    await beginFirstHalf(db, { token: token(name), personId: ann.id, method: 'password' }, now())
  const north = value(await createWorkspace(context, { slug: 'north', name: 'North' }))
  const { url } = value(await inviteAsOperator(context, north, { email: 'bob@example.org', role: 'member' }))
  await opened.close()
  return { recovery, invitation: url.split('/').at(-1) ?? '', cookie: '' }
}
