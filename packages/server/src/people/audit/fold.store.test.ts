import { expect, test } from 'vitest'
import { everyEngine } from '../../../testing/stores.ts'
import { foldActivity, folded } from './fold.ts'
import { audit } from './store.ts'

everyEngine('the activity of one person', (open) => {
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
    const limits = { kept: 10, slack: 4 }
    await write(bob, 0, 14)
    await write(ann, 0, 14)
    await foldActivity(db, limits)
    expect([await linesOf('ann'), await linesOf('bob')].map((lines) => lines.length)).toEqual([14, 14])
    await write(ann, 14, 40)
    await Promise.all([foldActivity(db, limits), foldActivity(db, limits)])
    await write(ann, 40, 60)
    await foldActivity(db, limits)
    const lines = await linesOf('ann')
    expect(lines.length).toBeLessThanOrEqual(limits.kept + 2)
    const sums = lines.filter(({ action }) => action === folded).map(({ details }) => JSON.parse(details))
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
      await foldActivity(db, { kept: 10, slack: 4 })
    }
    const lines = await db.selectFrom('audit').select(['action', 'details']).orderBy('at').execute()
    expect(lines.filter(({ action }) => rare.includes(action)).map(({ action }) => action)).toEqual(rare)
    expect(lines.length).toBeLessThanOrEqual(14)
    const sums = lines.filter(({ action }) => action === folded).map(({ details }) => JSON.parse(details))
    expect(sums.map(({ kind }) => kind).sort()).toEqual(['alert.muted', 'alert.unmuted'])
    expect(sums.reduce((sum, each) => sum + each.lines, 0) + lines.length - sums.length).toBe(93)
  })
})
