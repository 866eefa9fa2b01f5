import type { CostPage, CostRow, CostRun } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { dayMs, dayNumber } from '../../platform/limits/units.ts'

/** A workspace with two agents, one of which used a model whose name is a formula. */
async function start() {
  const service = await serve()
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'member')
  const now = service.now()
  const report = async (name: string, models: Record<string, number>, subjects: { title: string }[] = []) => {
    const { token } = await service.agent(north, name)
    const run = { id: `of-${name}`, started: now / 1000 - 1, kind: 'mail', status: 'done', models, output_tokens: 9 }
    await service.reports(token, { runs: [{ ...run, subjects }] })
  }
  await report('one', { '=cmd': 1 })
  await report('two', { big: 2 }, [{ title: 'claude 3' }, { title: 'other' }])
  const today = new Date(dayNumber(now) * dayMs).toISOString().slice(0, 10)
  return { today, report, get: <T>(path: string) => ann.get<T>(`/api/web/w/north/${path}`) }
}

test('members read the costs of a workspace as rows, as CSV without a formula, and as the page shows them', async () => {
  const { today, get } = await start()
  expect((await get<CostRow[]>('history/cost')).body).toEqual([
    { from: today, name: null, runs: 2, cost: 3, outputTokens: 18 },
  ])
  expect((await get<CostRow[]>('history/cost?per=agent')).body).toEqual([
    { from: today, name: 'two', runs: 1, cost: 2, outputTokens: 9 },
    { from: today, name: 'one', runs: 1, cost: 1, outputTokens: 9 },
  ])
  const csv = await get('history/cost/export?per=model')
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(csv.headers.get('content-disposition')).toMatch(
    /^attachment; filename="north-cost-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv"$/,
  )
  expect(csv.text.split('\r\n').slice(0, 3)).toEqual([
    expect.stringContaining('"from","name","runs","cost_usd","output_tokens"'),
    `"${today}","big",,2,`,
    `"${today}","'=cmd",,1,`,
  ])
  const { body: page } = await get<CostPage>('cost?per=agent&by=month')
  expect(page).toMatchObject({ total: { cost: 3, runs: 2 }, others: { count: 0 }, deletedAgents: 0, limit: null })
  expect(page.names.map(({ name }) => name)).toEqual(['two', 'one'])
  expect(page.columns.at(-1)?.parts).toEqual([2, 1])
  expect((await get<CostRun[]>('cost/runs')).body).toMatchObject([
    { agent: 'two', id: 'of-two', kind: 'mail', subject: 'claude 3', status: 'done', cost: 2, outputTokens: 9 },
    { agent: 'one', id: 'of-one', subject: null, cost: 1 },
  ])
})

test('an answer and a download are made once a minute, and each question has its own', async () => {
  const { report, get } = await start()
  const questions = ['history/cost/export', 'history/cost/export?per=agent', 'history/cost?per=agent', 'cost?per=agent']
  const read = () => Promise.all(questions.map(async (path) => (await get(path)).text))
  const before = await read()
  await report('three', { big: 40 })
  expect(await read()).toEqual(before)
  expect(new Set(before).size).toBe(questions.length)
  expect((await get('history/cost/export?per=blueprint')).text).toContain(',43,')
})

test.each([
  ['from=2026-11-22&to=2026-11-21', 'from must not be after to: from is 2026-11-22, to is 2026-11-21.'],
  ['from=20260-01-01', 'from must be a date such as 2026-11-21: got "20260-01-01".'],
  ['to=2026-02-30', 'to must be a date such as 2026-11-21: got "2026-02-30".'],
  ['by=year', 'by must be one of "day", "week", "month": got "year".'],
  ['per=host', 'per must be one of "agent", "model", "blueprint": got "host".'],
])('a value that is none is refused: %s', async (query, message) => {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'member')
  for (const route of ['history/cost', 'history/cost/export', 'cost'])
    expect(await ann.get(`/api/web/w/north/${route}?${query}`)).toMatchObject({
      status: 400,
      body: { error: { message } },
    })
})
