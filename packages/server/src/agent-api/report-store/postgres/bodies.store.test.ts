import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { reporting } from '../../../../testing/reporting.ts'
import { openTestPostgres } from '../../../../testing/stores.ts'
import { newTestWorkspace } from '../../../../testing/test-workspace.ts'

test('a report of a few kilobytes is stored in its row as it is, and one of 20 KB is compressed (PostgreSQL)', async () => {
  const store = await openTestPostgres()
  onTestFinished(() => store.close())
  const w = await newTestWorkspace(store)
  const { report } = reporting(w)
  const shares: boolean[] = []
  for (const kilobytes of [1, 4, 7, 20]) {
    const lines = Array(kilobytes * 10).fill('x'.repeat(100))
    await report({ panels: [{ type: 'text', title: 'Output', lines }] })
    const { rows } = await sql<{ whole: boolean }>`
      select pg_column_size(body) >= octet_length(body) as whole from agent_report`.execute(store.db)
    shares.push(rows[0]?.whole === true)
  }
  expect(shares).toEqual([true, true, true, false])
})
