import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, testStart } from '../../../testing/test-workspace.ts'
import { audit } from '../../people/audit/store.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { type ActivityFilter, activityCsv, readActivity } from './activity.ts'

onEveryEngine('the activity', (open) => {
  test('is filtered by person, kind, time and words, and read on from a time', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const { db } = w.store
    const line = (
      minute: number,
      name: string,
      action: string,
      subject: string,
      details: Record<string, unknown>,
      into = db,
    ) =>
      audit(into, {
        ...{ workspaceId: w.workspace.id, at: testStart + minute * 60_000, by: { id: null, name } },
        ...{ action, subject, details },
      })
    await transaction(db, async (trx) => {
      for (let i = 0; i < 1200; i++) await line(i, 'Ben', 'log.read', `agent mail-${i}`, { name: 'work' }, trx)
    })
    await line(2000, 'Ann', 'command.sent', 'agent mail-1', { type: 'pause', payload: {} })
    await line(2001, 'Ann', 'member.invited', 'bo@example.org', { role: 'member' })
    await line(2002, 'Ben', 'rule.changed', 'silent', {})
    await line(-1, 'Cy', 'view.saved', 'a view', { filter: { text: 'say "hé"', tags: ['eu'] }, 'a key': 7 })
    const subjects = async (filter: Partial<ActivityFilter>, limit = 50) => {
      const all = { before: Number.MAX_SAFE_INTEGER, since: 0, ...filter }
      return (await readActivity(db, { id: w.workspace.id }, all, limit)).map(({ subject }) => subject)
    }
    expect(await subjects({}, 3)).toEqual(['silent', 'bo@example.org', 'agent mail-1'])
    expect(await subjects({ by: 'Ann' })).toEqual(['bo@example.org', 'agent mail-1'])
    expect(await subjects({ kind: 'member,rule' })).toEqual(['silent', 'bo@example.org'])
    expect(await subjects({ kind: 'member.invited,rule' })).toEqual(['silent', 'bo@example.org'])
    expect(await subjects({ kind: 'me,%,ru_e,member.inv,%.invited' })).toEqual([])
    expect(await subjects({ since: testStart + 2001 * 60_000 })).toEqual(['silent', 'bo@example.org'])
    expect(await subjects({ text: 'PAUSE mail-1' })).toEqual(['agent mail-1'])
    expect(await subjects({ text: 'log read mail-0' })).toEqual(['agent mail-0'])
    expect(await subjects({ text: 'ann', before: testStart + 2001 * 60_000 })).toEqual(['agent mail-1'])
    expect(await subjects({ text: 'work', by: 'Ben' }, 700)).toHaveLength(700)
    expect(await subjects({ text: 'nothing' })).toEqual([])
    expect(await subjects({ text: '"hé" eu 7' })).toEqual(['a view'])
    expect(await subjects({ text: 'key' })).toEqual([])
    expect(await subjects({ text: '{' })).toEqual([])
    expect(await subjects({ text: 'rule.changed' })).toEqual(['silent'])
    const csv = async (filter: Partial<ActivityFilter>, max?: Parameters<typeof activityCsv>[3]) => {
      const all = { before: Number.MAX_SAFE_INTEGER, since: 0, ...filter }
      return (await activityCsv(db, { id: w.workspace.id }, all, max)).slice(1).trimEnd().split('\r\n')
    }
    const [head, ...lines] = await csv({})
    expect(head).toBe('"time","who","action","subject","details"')
    expect(lines).toHaveLength(1204)
    const at = (minute: number) => new Date(testStart + minute * 60_000).toISOString()
    expect(lines.slice(0, 2)).toEqual([
      `"${at(2002)}","Ben","rule.changed","silent",`,
      `"${at(2001)}","Ann","member.invited","bo@example.org","{""role"":""member""}"`,
    ])
    expect(lines.at(-1)).toContain(`"${at(-1)}","Cy","view.saved","a view",`)
    expect((await csv({ text: 'PAUSE mail-1' })).slice(1)).toEqual([expect.stringContaining('"agent mail-1"')])
    expect(await csv({ by: 'Ben' }, { lines: 700, characters: 1e6 })).toHaveLength(701)
    expect(await csv({}, { lines: 9000, characters: 1000 })).toHaveLength(501)
  })
})
