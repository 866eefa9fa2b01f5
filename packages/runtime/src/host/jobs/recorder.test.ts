import { expect, test } from 'vitest'
import { surplusRecords } from './recorder.ts'

const now = 1_800_000_000_000
const day = 86_400_000
const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `${now - i * 60_000}-aaaa`)
const records = (all: readonly string[]): string[] => all.map((id) => `${id}.json`)

test('the newest hundred records stay', () => {
  const all = ids(103)
  expect(surplusRecords(['job.json', 'last.log', ...records(all)], all[0] ?? '', now)).toEqual(records(all.slice(100)))
  expect(surplusRecords(records(all.slice(0, 100)), all[0] ?? '', now)).toEqual([])
})

test('the record of a run that lives stays with its file, however many began after it', () => {
  const all = ids(103)
  const [old = '', hung = '', older = ''] = all.slice(100)
  const late = now + 2 * day
  const left = [`${hung}.run`, `${old}.run`]
  expect(surplusRecords([...records(all), ...left], all[0] ?? '', late, (id) => id === hung)).toEqual([
    `${old}.json`,
    `${older}.json`,
    `${old}.run`,
  ])
})
