import { expect, test } from 'vitest'
import { reporting } from '../../testing/reporting.ts'
import { onEveryEngine } from '../../testing/stores.ts'
import { testStart } from '../../testing/test-workspace.ts'
import { typing } from '../../testing/typing.ts'
import { readHistoryChanges } from '../web/queries/changes.ts'
import { agentStates } from '../web/queries/states.ts'
import { agentTrend } from '../web/queries/trend.ts'

onEveryEngine('commands about what was before', (open) => {
  test('history cost prints rows, CSV and JSON, and refuses what is no date', async () => {
    const { w, said, json } = await typing(await open())
    expect(await said('history cost north')).toBe('No costs were reported in this time.')
    expect(await json('history cost north')).toEqual([])
    const run = { id: 'a', started: testStart / 1000 - 1, models: { '=cmd': 1.5 }, output_tokens: 7 }
    await reporting(w).report({ runs: [run] })
    const day = '2026-11-21'
    expect(await json('history cost north')).toEqual([{ from: day, name: null, runs: 1, cost: 1.5, outputTokens: 7 }])
    expect(await said('history cost north --per agent --by month --from 2026-11-21')).toBe(
      'FROM        NAME         RUNS  COST   OUTPUT TOKENS\n2026-11-01  mail-triage  1     $1.50  7',
    )
    expect(await said('history cost north --per model --csv')).toBe(
      `"from","name","runs","cost_usd","output_tokens"\n"${day}","'=cmd",,1.5,`,
    )
    for (const [typed, message] of [
      ['--from 2026-11-22 --to 2026-11-21', '--from must not be after --to: from is 2026-11-22, to is 2026-11-21.'],
      ['--to yesterday', '--to must be a date such as 2026-11-21: got "yesterday".'],
      ['--by year', '--by must be one of "day", "week", "month": got "year".'],
    ])
      expect(await said(`history cost north ${typed}`)).toBe(`misused: ${message}`)
  })

  test('history states, changes, fleet and trend print what the queries give, as a table and as JSON', async () => {
    const { w, said, json } = await typing(await open())
    const { report } = reporting(w)
    const start = w.clock.now()
    const { db } = w.store
    await report({ state: { level: 'ok', label: 'Idle' } })
    w.clock.pass(20)
    await report({ state: { level: 'info', label: 'Paused' } })
    w.clock.pass(20)
    const now = w.clock.now()
    const agent = await db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    const asked = { since: start - 60_000, until: now, now }
    const since = new Date(asked.since).toISOString()
    const states = await agentStates(db, agent, asked)
    expect(states.map(({ is }) => is)).toEqual(['unknown', 'reporting', 'paused'])
    expect(await json(`history states north/mail-triage --since ${since}`)).toEqual(states)
    const changes = await readHistoryChanges(db, agent, { ...asked, limit: 200 })
    expect(changes.map(({ what }) => what)).toEqual(['level', 'level', 'paused'])
    expect(await json(`history changes north/mail-triage --since ${since}`)).toEqual(changes)
    const fleet = [{ name: 'mail-triage', is: 'paused', level: 'info', label: 'Paused' }]
    expect(await json(`history fleet north --at ${new Date(now).toISOString()}`)).toEqual(fleet)
    expect(await json('history trend north/mail-triage')).toEqual(await agentTrend(db, agent, 1, now))
    const table = async (typed: string) => (await said(`history ${typed}`)).split('\n').map((row) => row.split(/ {2,}/))
    expect((await table(`states north/mail-triage --since ${since}`)).map((row) => row.slice(2))).toEqual([
      ['STATE', 'LEVEL', 'LABEL'],
      ['unknown', '-', '-'],
      ['reporting', 'ok', 'Idle'],
      ['paused', 'info', 'Paused'],
    ])
    expect(await table(`fleet north --at ${new Date(now).toISOString()}`)).toEqual([
      ['AGENT', 'STATE', 'LEVEL', 'LABEL'],
      ['mail-triage', 'paused', 'info', 'Paused'],
    ])
  })

  test.each([
    ['fleet north --at soon', '--at must be a time such as'],
    ['fleet north --at 2099-01-01', '--at must not be in the future'],
    [
      'states north/mail-triage --since 2026-11-20 --until 2026-11-19',
      '--since must not be after --until, or after now',
    ],
    ['changes north/mail-triage --limit 0', '--limit must be a whole number from 1 to 1000'],
    ['trend north/mail-triage --days 2', '--days must be one of'],
  ])('history %s is refused with the name of the option', async (typed, message) => {
    const { said } = await typing(await open())
    expect(await said(`history ${typed}`)).toContain(`misused: ${message}`)
  })
})
