import { expect, test } from 'vitest'
import { besideTransaction } from '../../../testing/beside.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import type { Db } from './open.ts'
import { transaction } from './transaction.ts'

const first = (db: Db) => db.selectFrom('workspace').select('id').execute()

onBothEngines('a query in a test', (open) => {
  test('throws beside an open transaction, however deep', async () => {
    const { db } = await open()
    const deep = () => new Promise((resolve) => setImmediate(resolve)).then(() => first(db))
    await expect(transaction(db, () => first(db))).rejects.toThrow(besideTransaction)
    await expect(transaction(db, deep)).rejects.toThrow(besideTransaction)
    await expect(transaction(db, () => transaction(db, first))).rejects.toThrow(besideTransaction)
  })

  test('is made through the transaction, after it, or in another database', async () => {
    const { db } = await open()
    const { db: other } = await open()
    let later: Promise<unknown> | undefined
    const gate = Promise.withResolvers<void>()
    await transaction(db, async (trx) => {
      later = gate.promise.then(() => first(db))
      return [await first(trx), await transaction(trx, first), await first(other)]
    })
    gate.resolve()
    expect(await later).toEqual([])
    expect(await Promise.all([transaction(db, first), first(db)])).toEqual([[], []])
  })
})
