import type { AlertTimeline } from '@svc/api'
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'
import { openAlert } from '../../../testing/typing.ts'
import { newId } from '../../platform/ids.ts'
import { type AlertsWanted, alertLines, alertTimeline } from './alerts.ts'

const day = 86_400_000

onEveryEngine('the timeline of alerts', (open) => {
  const started = async () => {
    const w = await newTestWorkspace(await open())
    const { db } = w.store
    const asked = (more: AlertsWanted & { days?: number } = {}) =>
      alertTimeline(db, w.workspace, { days: 7, now: w.clock.now(), ...more })
    const namesIn = ({ rows }: AlertTimeline) => rows.map(({ subject }) => subject.name)
    return { w, db, asked, namesIn }
  }

  test('has the alerts that are open, however old, and those that ended within the days, and no pending one', async () => {
    const { w, db, asked, namesIn } = await started()
    const now = w.clock.now()
    await openAlert(w, { ...w.agent, alert: { openedAt: now - 40 * day } })
    await openAlert(w, { ...(await w.addAgent('pending')), alert: { phase: 'pending', openedAt: null } })
    for (const [name, ago] of Object.entries({ hour: 0.1, days: 3, weeks: 20, months: 60 }))
      await openAlert(w, {
        ...(await w.addAgent(name)),
        alert: { openedAt: now - (ago + 0.5) * day, endedAt: now - ago * day },
      })
    expect(namesIn(await asked({ days: 1 }))).toEqual(['mail-triage', 'hour'])
    expect(namesIn(await asked())).toEqual(['mail-triage', 'hour', 'days'])
    const month = await asked({ days: 30 })
    expect(namesIn(month)).toEqual(['mail-triage', 'hour', 'days', 'weeks'])
    expect(month.more).toBe(false)
    expect(month.rows[1]).toEqual({
      ...{ id: expect.any(String), rule: 'bad', level: 'bad', subject: { kind: 'agent', name: 'hour' } },
      ...{ openedAt: now - 0.6 * day, endedAt: now - 0.1 * day },
    })
    await db.deleteFrom('agent').where('name', '=', 'hour').execute()
    expect((await asked()).rows[1]).toMatchObject({ subject: { name: 'hour' }, gone: true })
  })

  test('and the list of alerts are narrowed by words, rule and level; signs of patterns are only signs', async () => {
    const { w, db, asked, namesIn } = await started()
    await openAlert(w, { ...w.agent, alert: { label: 'HTTP 401' } })
    await openAlert(w, { ...(await w.addAgent('web')), item: 'Job Backup', alert: { level: 'warn' } })
    await openAlert(w, { ...(await w.addAgent('wide')), alert: { level: 'warn', label: 'Übersicht' } })
    const agents = JSON.stringify({ names: ['inbox-9'], of: 1 })
    await db.updateTable('alert').set({ agents }).where('subject_name', '=', 'wide').execute()
    const wanted: [AlertsWanted, string[]][] = [
      [{ q: 'TRIAGE' }, ['mail-triage']],
      [{ q: 'http 4' }, ['mail-triage']],
      [{ q: '4  Mail HTTP' }, ['mail-triage']],
      [{ q: 'backup' }, ['web']],
      [{ q: 'level bad' }, ['mail-triage', 'wide']],
      [{ q: 'üBERSICHT' }, ['wide']],
      [{ q: 'inbox-9' }, ['wide']],
      [{ q: 'names' }, []],
      [{ q: '%' }, []],
      [{ q: '_' }, []],
      [{ q: '\\' }, []],
      [{ rule: 'item' }, ['web']],
      [{ level: 'bad' }, ['mail-triage']],
      [{ level: 'bad', rule: 'item' }, []],
      [{}, ['web', 'wide', 'mail-triage']],
    ]
    for (const [one, names] of wanted) {
      expect([one, namesIn(await asked(one)).toSorted()]).toEqual([one, names.toSorted()])
      const { rows } = await alertLines(db, w.workspace, { ended: false, limit: 9, now: w.clock.now(), ...one })
      expect([one, rows.map(({ subject }) => subject.name).toSorted()]).toEqual([one, names.toSorted()])
    }
  })

  test('of 5,001 alerts has the newest 5,000, below its limit of bytes, read in many turns', async () => {
    const { w, db, asked } = await started()
    const now = w.clock.now()
    await openAlert(w, { ...w.agent, alert: { openedAt: now - day, endedAt: now - 1 } })
    const row = await db.selectFrom('alert').selectAll().executeTakeFirstOrThrow()
    const ends = Array.from({ length: 5000 }, (_, i) => now - 1000 - (i % 100))
    for (let i = 0; i < ends.length; i += 250)
      await db
        .insertInto('alert')
        .values(ends.slice(i, i + 250).map((ended_at, j) => ({ ...row, id: newId(now + i + j), ended_at })))
        .execute()
    let turns = 0
    let counting = true
    const count = () => {
      turns++
      if (counting) setImmediate(count)
    }
    setImmediate(count)
    const all = await asked()
    counting = false
    expect(turns).toBeGreaterThan(10)
    expect([all.rows.length, all.more, new Set(all.rows.map(({ id }) => id)).size]).toEqual([5000, true, 5000])
    expect(all.rows[0]?.id).toBe(row.id)
    expect(JSON.stringify(all).length).toBeLessThan(1024 * 1024)
  })
})
