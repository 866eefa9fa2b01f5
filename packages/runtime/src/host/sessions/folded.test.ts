import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTreeReader, maxFiles } from './folded.ts'
import { newBudget } from './growing.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-folded-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('of more files than svc knows, the newest are read, and this is said', () => {
  const read = createTreeReader<number>(
    { root, enters: () => true, takes: (name) => name.endsWith('.jsonl') },
    { empty: 0, fold: (before) => before + 1, odd: (before) => before, tail: 1000 },
  )
  const look = () => read({ now: Date.now(), budget: newBudget(), dayOf: (at) => Math.floor(at / 86_400) }, () => false)
  const folder = join(root, 'many')
  mkdirSync(folder)
  for (let number = 0; number < maxFiles; number++) writeFileSync(join(folder, `${number}.jsonl`), '{}\n')
  expect(look().remarks).toEqual([])
  const old = Date.now() / 1000 - 3600
  writeFileSync(join(folder, 'old.jsonl'), '{}\n')
  utimesSync(join(folder, 'old.jsonl'), old, old)
  const { files, remarks } = look()
  expect(files).toHaveLength(maxFiles)
  expect(files.some(({ parts }) => parts.includes('old.jsonl'))).toBe(false)
  expect(remarks).toEqual([`only its newest ${maxFiles} files are read`])
})

test('a line is counted for the day in the zone that the machine has by then', () => {
  const read = createTreeReader<readonly number[]>(
    { root, enters: () => true, takes: () => true },
    { empty: [], fold: (before, _line, dayOf) => [...before, dayOf(0)], odd: (before) => before, tail: 1000 },
  )
  const look = (day: number) =>
    read({ now: Date.now(), budget: newBudget(), dayOf: () => day }, () => true).files[0]?.result
  writeFileSync(join(root, 'a.jsonl'), '{}\n')
  expect(look(1)).toEqual([1])
  writeFileSync(join(root, 'a.jsonl'), '{}\n{}\n')
  expect(look(2)).toEqual([1, 2])
})
