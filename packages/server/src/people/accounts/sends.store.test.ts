import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { countTest } from '../../alerts/changes/channels.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { countSend, sendLimits } from './sends.ts'

const now = Date.UTC(2026, 10, 25, 12)
const kinds = Object.keys(sendLimits) as (keyof typeof sendLimits)[]
const count = (db: Db, kind: (typeof kinds)[number], key: string, at: number) =>
  transaction(db, (trx) => countSend(trx, [[kind, key]], at))

onEveryEngine('what people have the service send', (open) => {
  test.each(kinds)('%s is limited, and the refusal says when it is possible again', async (kind) => {
    const { db } = await open()
    const { max, ms } = sendLimits[kind]
    for (let i = 0; i < max; i++) expect((await count(db, kind, 'one', now + i)).ok).toBe(true)
    const refused = await count(db, kind, 'one', now + max)
    expect(refused).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('It is possible again') })
    expect((await count(db, kind, 'another', now + max)).ok).toBe(true)
    expect((await count(db, kind, 'one', now + ms)).ok).toBe(true)
    expect((await count(db, kind, 'one', now + ms)).ok).toBe(false)
  })

  test('simultaneous sends are counted together', async () => {
    const { db } = await open()
    const all = await Promise.all(Array.from({ length: 12 }, () => count(db, 'test_channel', 'one', now)))
    expect(all.filter(({ ok }) => ok)).toHaveLength(sendLimits.test_channel.max)
  })

  test('a person may not test many channels in turn, and a refused test does not count', async () => {
    const { db } = await open()
    const tried = (channel: number, at: number) =>
      transaction(db, (trx) => countTest(trx, `channel ${channel}`, 'ann', at))
    const all = []
    for (let i = 0; i < 14; i++) all.push((await tried(i, now)).ok)
    expect(all.filter(Boolean)).toHaveLength(sendLimits.test_person.max)
    expect((await tried(20, now + 60_000)).ok).toBe(true)
  })

  test('what is older than a day is forgotten', async () => {
    const { db } = await open()
    await count(db, 'invite_address', 'one', now)
    await count(db, 'invite_address', 'two', now + 86_400_000)
    expect(await db.selectFrom('counted_send').select('at').execute()).toHaveLength(1)
  })
})
