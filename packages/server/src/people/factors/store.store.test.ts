import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../testing/stores.ts'
import type { Store } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { beginFirstHalf, findFirstHalf, spendFirstHalf } from './first-halves.ts'
import { factorsOfPerson } from './held.ts'
import { halfSignInMs, lockMs, maxWrongCodes } from './rules.ts'
import {
  confirmFactor,
  countCode,
  forgetWrongCodes,
  removeFactors,
  replaceRecovery,
  spendTotpStep,
  storeTotp,
  useRecovery,
} from './store.ts'

const now = Date.UTC(2026, 10, 25, 12)
const at = { baseUrl: 'https://svc.example.org' }

/** Stores a person, with an authenticator app that was confirmed by the code of step 100. */
async function ann({ db, engine }: Store): Promise<string> {
  const id = randomUUID()
  const insert = sql`insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
    values (${id}, 'Ann', ${`${id}@example.org`}, ${engine === 'sqlite' ? 1 : true}, ${new Date(now).toISOString()}, ${new Date(now).toISOString()})`
  await insert.execute(db)
  expect(await storeTotp(db, id, 'sealed', now)).toBe(true)
  expect((await factorsOfPerson(db, at, id)).totp).toBe(false)
  expect(await confirmFactor(db, { person_id: id, secret: 'sealed' }, 100, now)).toBe(true)
  return id
}
const atOnce = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work))
const isTrue = (value: unknown) => value === true

onBothEngines('second factors', (open) => {
  test('of two nodes with one code at the same moment, one succeeds', async () => {
    const store = await open()
    const { db } = store
    const person = await ann(store)
    const both = await atOnce(2, () => transaction(db, (trx) => spendTotpStep(trx, person, 101)))
    expect(both.filter(isTrue)).toHaveLength(1)
    expect(await spendTotpStep(db, person, 100)).toBe(false)
    expect(await spendTotpStep(db, person, 102)).toBe(true)
  })

  test('a recovery code works once, only for its person, and new ones replace those of before', async () => {
    const store = await open()
    const { db } = store
    const [person, other] = [await ann(store), await ann(store)]
    const [code = '', second = ''] = await replaceRecovery(db, person, now)
    expect(await useRecovery(db, other, code)).toBe(false)
    expect((await atOnce(2, () => useRecovery(db, person, code.toUpperCase()))).filter(isTrue)).toHaveLength(1)
    expect(await factorsOfPerson(db, at, person)).toMatchObject({ totp: true, recoveryLeft: 9, passkeys: 0 })
    await replaceRecovery(db, person, now)
    expect(await useRecovery(db, person, second)).toBe(false)
    const kept = await db.selectFrom('recovery_code').selectAll().execute()
    expect(JSON.stringify(kept)).not.toContain(second)
  })

  test('ten wrong codes lock the codes of an account for 15 minutes, also if they arrive together', async () => {
    const store = await open()
    const { db } = store
    const [person, other] = [await ann(store), await ann(store)]
    const tries = await atOnce(maxWrongCodes + 3, () => countCode(db, person, now))
    expect(tries.filter((wait) => wait === undefined)).toHaveLength(maxWrongCodes)
    expect(await countCode(db, person, now + lockMs - 1000)).toBe(1)
    expect(await countCode(db, other, now)).toBeUndefined()
    expect(await countCode(db, person, now + lockMs)).toBeUndefined()
    for (let i = 0; i < maxWrongCodes; i++) await countCode(db, other, now)
    await forgetWrongCodes(db, other)
    expect(await countCode(db, other, now)).toBeUndefined()
  })

  test('a first half is used once, expires after ten minutes, and ends with the factors', async () => {
    const store = await open()
    const { db } = store
    const person = await ann(store)
    const begin = (token: string) => beginFirstHalf(db, { token, personId: person, method: 'password' }, now)
    await begin('one')
    const half = await findFirstHalf(db, 'one', now)
    if (!half) throw new Error('There is no first half.')
    expect((await atOnce(2, () => spendFirstHalf(db, half, now))).filter(isTrue)).toHaveLength(1)
    await begin('two')
    expect(await findFirstHalf(db, 'two', now + halfSignInMs - 1)).toBeDefined()
    expect(await findFirstHalf(db, 'two', now + halfSignInMs)).toBeUndefined()
    expect(await removeFactors(db, person)).toBe(true)
    expect(await findFirstHalf(db, 'two', now)).toBeUndefined()
    expect([(await factorsOfPerson(db, at, person)).totp, await removeFactors(db, person)]).toEqual([false, false])
  })

  test('a confirmed app is not replaced, and one that was replaced is not confirmed', async () => {
    const store = await open()
    const { db } = store
    const person = await ann(store)
    expect(await storeTotp(db, person, 'another', now)).toBe(false)
    await removeFactors(db, person)
    await storeTotp(db, person, 'first', now)
    await storeTotp(db, person, 'second', now)
    expect(await confirmFactor(db, { person_id: person, secret: 'first' }, 1, now)).toBe(false)
    expect(await confirmFactor(db, { person_id: person, secret: 'second' }, 1, now)).toBe(true)
  })
})
