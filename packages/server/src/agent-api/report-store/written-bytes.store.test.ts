import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { openTestSqlite } from '../../../testing/stores.ts'
import { newTestWorkspace } from '../../../testing/test-workspace.ts'

const day = 86_400

/** The bytes that this process has given to the system to write. */
const writtenBytes = () => Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

/** A report of about 245 KB. */
const large = (i: number, started: number, { detail = 'Step 1000 of 5000', kind = 'index' }) => ({
  agent: { host: 'build-1', version: '1.0.0' },
  boot: 'b1',
  state: { level: 'ok', label: 'Working', detail },
  panels: Array.from({ length: 10 }, (_, n) => ({
    type: 'text',
    title: `Part ${n}`,
    lines: Array.from({ length: 48 }, (_, line) => `${n * 48 + line}`.padEnd(500, 'x')),
  })),
  active: [{ kind, started: started + (i > 5 ? day : 0) }],
  runs: [{ id: `r${1000 + i}`, started: started + i, ended: started + i + 1, cost: 0.01, model: 'small' }],
})

type Words = Parameters<typeof large>[2]
test.skipIf(process.platform !== 'linux').each<[string, (i: number) => Words, number]>([
  ['few pages if a text keeps its length', (i) => ({ detail: `Step ${1000 + i} of 5000` }), 50_000],
  ['few pages if a text before its lists grows', (i) => ({ detail: `Step ${'1'.repeat(i)} of 5000` }), 50_000],
  ['each page once if a text after its lists grows', (i) => ({ kind: `index ${'1'.repeat(i)}` }), 350_000],
])('a large report of which little has changed writes %s', async (_what, words, max) => {
  const store = await openTestSqlite()
  onTestFinished(() => store.close())
  const w = await newTestWorkspace(store)
  const { report } = reporting(w)
  const started = Math.floor(w.clock.now() / 1000) - day
  expect(JSON.stringify(large(0, started, words(0))).length).toBeGreaterThan(240_000)
  // Two reports come first, because the column with the number of stored runs takes no byte for 0 and 1.
  for (const i of [0, 1]) await report(large(i, started, words(i)))
  const bytes: number[] = []
  for (let i = 2; i < 12; i++) {
    w.clock.pass(30_000)
    const before = writtenBytes()
    await report(large(i, started, words(i)))
    bytes.push(writtenBytes() - before)
  }
  expect(Math.max(...bytes)).toBeLessThan(max)
})
