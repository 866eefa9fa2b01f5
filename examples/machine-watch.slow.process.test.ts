/**
 * Tests the example agent machine-watch on the machine on which the tests run. `npm test` leaves this out. It is about
 * an example, which shares no code with the product.
 */
import { cpus } from 'node:os'
import { expect, test } from 'vitest'
import { Example } from './running.ts'

const quick = { survey_seconds: 1, every: 1 }
const surveyed = (s: { runs?: { ended?: number }[] }) => s.runs?.[0]?.ended !== undefined

test('a changed mark gives a warning at once, and takes it back at once', async () => {
  await using agent = new Example('machine-watch').start({ ...quick, memory_warn: 100, disk_warn: 100, load_warn: 100 })
  const quiet = await agent.until((s) => surveyed(s) && s.state?.level === 'ok')
  expect(quiet.gauges?.find((g) => g.name === 'Disk /')?.mark).toBe(1)
  agent.set({ ...quick, memory_warn: 100, disk_warn: 1, load_warn: 100 })
  const warned = await agent.until((s) => s.state?.level === 'warn')
  expect(warned.health?.find((h) => h.name === 'Disk /')?.level).toBe('warn')
  expect(warned.health?.find((h) => h.name === 'Memory')?.level).toBe('ok')
  expect(warned.gauges?.find((g) => g.name === 'Disk /')?.mark).toBe(0.01)
  expect(warned.state?.label).toContain('Disk /')
  agent.set({ ...quick, memory_warn: 100, disk_warn: 100, load_warn: 100 })
  await agent.until((s) => s.state?.level === 'ok')
})

test('the table has as many processes as the setting asks for, in the order it asks for', async () => {
  await using agent = new Example('machine-watch').start({ ...quick, processes: 3, order: 'memory' })
  const status = await agent.until(surveyed)
  const table = status.panels?.find((p) => p.type === 'table')
  const bytes = (text: string) => {
    const [n = '', unit = ''] = text.split(' ')
    return Number(n) * 1024 ** ['B', 'KiB', 'MiB', 'GiB'].indexOf(unit)
  }
  expect(table?.rows).toHaveLength(3)
  const sizes = table?.rows?.map((row) => bytes(String(row.at(-1)))) ?? []
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a))
  agent.set({ ...quick, processes: 5 })
  await agent.until((s) => s.panels?.some((p) => p.type === 'table' && p.rows?.length === 5) ?? false)
})

test('a survey is shown while it runs, and names the programs that used the processor', async () => {
  await using agent = new Example('machine-watch').start(quick)
  const during = await agent.until((s) => (s.active?.length ?? 0) > 0)
  expect(during.runs?.[0]).toMatchObject({ kind: 'survey', status: 'running' })
  const busy = performance.now()
  while (performance.now() - busy < 700); // makes this process use the processor, so that the agent finds it
  const after = await agent.until((s) => surveyed(s) && s.active?.length === 0)
  const shares = after.runs?.[0]?.subjects?.map((s) => s.share ?? 0) ?? []
  expect(shares.length).toBeGreaterThan(0)
  expect(shares.reduce((a, b) => a + b)).toBeLessThanOrEqual(1.001)
})

test.skipIf(process.platform !== 'linux')('gauges are shares between 0 and 1', async () => {
  await using agent = new Example('machine-watch').start(quick)
  const status = await agent.until(surveyed)
  expect(status.gauges?.map((g) => g.name)).toEqual(expect.arrayContaining(['Processor', 'Memory', 'Disk /']))
  for (const gauge of status.gauges ?? []) expect(gauge.used >= 0 && gauge.used <= 1, gauge.name).toBe(true)
  const machine = status.panels?.find((p) => p.type === 'kv')
  expect(machine?.items).toContainEqual({ label: 'Cores', value: String(cpus().length) })
})
