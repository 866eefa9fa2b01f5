import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { foldActivity, foldedAction, isEvidenceFull } from './fold.ts'
import { audit } from './store.ts'

const limited = (ordinary: { kept: number; slack: number }) => ({ ordinary, evidence: { kept: 20, slack: 4 } })

onEveryEngine('the activity of one person', (open) => {
  test('is bounded: the oldest lines become one that counts them, and those of other people stay', async () => {
    const { db } = await open()
    const [ann, bob] = [
      { id: 'ann', name: 'Ann' },
      { id: 'bob', name: 'Bob' },
    ]
    const write = async (by: { id: string; name: string }, from: number, to: number) => {
      for (let at = from; at < to; at++)
        await audit(db, { workspaceId: at % 2 ? 'north' : null, at, by, action: 'person.renamed', subject: `at ${at}` })
    }
    const linesOf = (id: string) =>
      db.selectFrom('audit').selectAll().where('actor_id', '=', id).orderBy('at').execute()
    const limits = limited({ kept: 10, slack: 4 })
    await write(bob, 0, 14)
    await write(ann, 0, 14)
    await foldActivity(db, { limits })
    expect([await linesOf('ann'), await linesOf('bob')].map((lines) => lines.length)).toEqual([14, 14])
    await write(ann, 14, 40)
    await Promise.all([foldActivity(db, { limits }), foldActivity(db, { limits })])
    await write(ann, 40, 60)
    await foldActivity(db, { limits })
    const lines = await linesOf('ann')
    expect(lines.length).toBeLessThanOrEqual(limits.ordinary.kept + 2)
    const sums = lines.filter(({ action }) => action === foldedAction).map(({ details }) => JSON.parse(details))
    expect(sums.reduce((sum, each) => sum + each.lines, 0) + lines.length - sums.length).toBe(60)
    expect(sums.map(({ since }) => since).sort()).toEqual([0, 1])
    expect(lines.at(-1)).toMatchObject({ at: 59, action: 'person.renamed', subject: 'at 59' })
    expect(await linesOf('bob')).toHaveLength(14)
  })

  test('keeps the lines about rare actions, whatever else the person repeats', async () => {
    const { db } = await open()
    const by = { id: 'ann', name: 'Ann' }
    const write = (action: string, at: number) =>
      audit(db, { workspaceId: 'north', at, by, action, subject: `at ${at}` })
    const rare = ['agent.token_rotated', 'member.role_changed', 'blueprint.uploaded']
    for (const [at, action] of rare.entries()) await write(action, at)
    for (let round = 0; round < 3; round++) {
      for (let at = 10; at < 40; at++) await write(at % 2 ? 'alert.muted' : 'alert.unmuted', 100 * round + at)
      await foldActivity(db, { limits: limited({ kept: 10, slack: 4 }) })
    }
    const lines = await db.selectFrom('audit').select(['action', 'details']).orderBy('at').execute()
    expect(lines.filter(({ action }) => rare.includes(action)).map(({ action }) => action)).toEqual(rare)
    expect(lines.length).toBeLessThanOrEqual(14)
    const sums = lines.filter(({ action }) => action === foldedAction).map(({ details }) => JSON.parse(details))
    expect(sums.map(({ kind }) => kind).sort()).toEqual(['alert.muted', 'alert.unmuted'])
    expect(sums.reduce((sum, each) => sum + each.lines, 0) + lines.length - sums.length).toBe(93)
  })

  test('keeps a line about one thing, whatever is done to others, and evidence beside everything else', async () => {
    const { db } = await open()
    const by = { id: 'ann', name: 'Ann' }
    const write = async (action: string, subject: (i: number) => string, count: number, from = 1000) => {
      for (let i = 0; i < count; i++)
        await audit(db, { workspaceId: 'north', at: from + i, by, action, subject: subject(i), details: { i } })
    }
    await write('command.sent', () => 'agent victim', 1, 1)
    await write('agent.token_rotated', () => 'agent victim', 1, 2)
    await write('agent.deleted', () => 'agent victim', 1, 3)
    await write('command.sent', (i) => `agent a${i % 2}`, 250)
    await write('agent.created', (i) => `agent a${i}`, 60)
    await write('agent.deleted', (i) => `agent a${i}`, 60)
    await foldActivity(db, { limits: { ordinary: { kept: 40, slack: 4 }, evidence: { kept: 100, slack: 4 } } })
    const left = await db.selectFrom('audit').select(['action', 'subject']).execute()
    const onVictim = left.filter(({ subject }) => subject === 'agent victim').map(({ action }) => action)
    expect(onVictim.sort()).toEqual(['agent.deleted', 'agent.token_rotated'])
    expect(left.filter(({ action }) => action === 'agent.deleted')).toHaveLength(61)
    expect(left.length).toBeLessThanOrEqual(40 + 62 + 2)
    await foldActivity(db, { limits: { ordinary: { kept: 40, slack: 4 }, evidence: { kept: 10, slack: 4 } } })
    const kinds = (await db.selectFrom('audit').select('action').execute()).map(({ action }) => action)
    expect(kinds).toContain('agent.token_rotated')
    expect(kinds.filter((kind) => kind === 'agent.deleted').length).toBeLessThanOrEqual(9)
    expect([
      await isEvidenceFull(db, 'ann', ['agent.deleted'], { now: 2000, max: 5 }),
      await isEvidenceFull(db, 'ann', ['agent.deleted'], { now: 2000, max: 50 }),
      await isEvidenceFull(db, 'ann', ['agent.deleted'], { now: 2000 + 86_400_000, max: 5 }),
      await isEvidenceFull(db, 'ann', ['agent.token_rotated'], { now: 2000, max: 5 }),
      await isEvidenceFull(db, 'ann', [], { now: 2000, max: 5 }),
    ]).toEqual([true, false, false, false, false])
  })

  test('counts what a person repeats in a minute in one line, but evidence and what says something new never', async () => {
    const { db } = await open()
    const by = { id: 'ann', name: 'Ann' }
    const note = { workspaceId: 'north', at: 5000, by, subject: 'agent x' }
    for (let i = 0; i < 25; i++) {
      await audit(db, { ...note, action: 'alert.muted', details: { until: i } })
      await audit(db, { ...note, action: 'agent.token_rotated' })
      await audit(db, { ...note, action: 'rule.changed', details: { after: i } })
      await audit(db, { ...note, action: 'alert.unmuted', subject: `agent ${i}` })
      await audit(db, { ...note, action: 'view.saved', by: { id: null, name: 'operator' } })
    }
    await audit(db, { ...note, action: 'alert.muted', at: 5000 + 60_000 })
    await audit(db, { ...note, action: 'alert.muted', workspaceId: 'south' })
    const lines = await db
      .selectFrom('audit')
      .select((eb) => ['action', eb.fn.countAll<number>().as('n')])
      .groupBy('action')
      .execute()
    expect(Object.fromEntries(lines.map(({ action, n }) => [action, Number(n)]))).toEqual({
      ...{ 'alert.muted': 12, 'agent.token_rotated': 25, 'rule.changed': 25, 'alert.unmuted': 25, 'view.saved': 25 },
    })
    const times = await db.selectFrom('audit').select('details').where('details', 'like', '%times%').execute()
    expect(times.map(({ details }) => JSON.parse(details))).toEqual([{ until: 24, times: 16 }])
  })
})
