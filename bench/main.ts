/**
 * `npm run bench -- NAME` runs the measurement NAME and prints its result as Markdown. With `--write` the result also
 * replaces its section of docs/benchmarks.md. The name `all` runs every measurement in turn.
 */
import { machine } from './common/machine.ts'
import type { BenchResult } from './common/result.ts'
import { writeSection } from './common/write.ts'

export type Bench = (args: string[]) => Promise<string | BenchResult>

/**
 * The measurements, in the order in which `all` runs them. The module of a measurement is imported only when it runs.
 */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  report: async () => (await import('./report.ts')).benchReport,
  growth: async () => (await import('./growth.ts')).benchGrowth,
  fleet: async () => (await import('./fleet.ts')).benchFleet,
  page: async () => (await import('./page.ts')).benchPage,
  filters: async () => (await import('./filters.ts')).benchFilters,
  costs: async () => (await import('./costs.ts')).benchCosts,
  requests: async () => (await import('./requests.ts')).benchRequests,
  slow: async () => (await import('./slow.ts')).benchSlow,
  hostile: async () => (await import('./hostile.ts')).benchHostile,
  nodes: async () => (await import('./nodes.ts')).benchNodes,
  actions: async () => (await import('./actions.ts')).benchActions,
  alerts: async () => (await import('./alerts.ts')).benchAlerts,
  messages: async () => (await import('./messages.ts')).benchMessages,
  deletion: async () => (await import('./deletion.ts')).benchDeletion,
  exec: async () => (await import('./exec.ts')).benchExec,
}

// A signal must end this process with `exit`, since the servers and load generators that it started are killed then.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

const args = process.argv.slice(2).filter((arg) => arg !== '--write')
const write = process.argv.includes('--write')
const [name = '', ...rest] = args
const chosen = name === 'all' ? Object.keys(benches) : [name]
if (!chosen.every((one) => Object.hasOwn(benches, one))) {
  const names = [...Object.keys(benches), 'all'].join(', ')
  console.error(
    `Which measurement? One of: ${names}. Such as: npm run bench -- report\n--write puts the tables into docs/benchmarks.md.`,
  )
  process.exit(2)
}
for (const one of chosen) {
  const bench = await benches[one]?.()
  const measured = await bench?.(rest)
  if (measured === undefined) continue
  const { tables, sizing } = typeof measured === 'string' ? { tables: measured, sizing: undefined } : measured
  const section = `${machine()}\n\n${tables.trim()}\n`
  console.log(`\n${section}`)
  if (sizing !== undefined) console.log(`${sizing}\n`)
  if (!write) continue
  writeSection(one, section)
  if (sizing !== undefined) writeSection('sizing', sizing, 'operate.md')
}
