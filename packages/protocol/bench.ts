/**
 * Measures reading a report, in µs per report, and compares it to `JSON.parse` alone. Run by hand: `node
 * packages/protocol/bench.ts`.
 */
import { readReport, readStatusFile } from './src/index.ts'
import { sampleReport } from './testing/sample.ts'

const now = Date.now()

const body = new TextEncoder().encode(JSON.stringify(sampleReport))
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const faulty = new TextEncoder().encode(
  JSON.stringify({
    ...sampleReport,
    state: { level: 'odd', label: 'x'.repeat(400) },
    extra: [1, 2],
    gauges: [{ used: 'a' }, 3],
  }),
)
const nulls = new TextEncoder().encode(
  JSON.stringify(sampleReport, (_, v) =>
    v && typeof v === 'object' && !Array.isArray(v) ? { ...v, detail: v.detail ?? null, extra: 1 } : v,
  ),
)
const parsed: unknown = JSON.parse(decoder.decode(body))

const subjects: Record<string, () => unknown> = {
  'JSON.parse alone': () => JSON.parse(decoder.decode(body)),
  readReport: () => readReport(body, now),
  'readReport, faulty input': () => readReport(faulty, now),
  'JSON.parse alone, nulls and unknown fields': () => JSON.parse(decoder.decode(nulls)),
  'readReport, nulls and unknown fields': () => readReport(nulls, now),
  'readStatusFile, parsed': () => readStatusFile(parsed, now),
}

const rounds = 20_000
const best: Record<string, number> = {}
for (let pass = 0; pass < 7; pass++) {
  for (const [name, run] of Object.entries(subjects)) {
    const start = performance.now()
    for (let i = 0; i < rounds; i++) run()
    const each = ((performance.now() - start) * 1000) / rounds
    best[name] = Math.min(best[name] ?? Infinity, each)
  }
}
console.log(`${body.length} bytes, best of 7 passes of ${rounds}`)
for (const [name, each] of Object.entries(best)) console.log(`${each.toFixed(2).padStart(8)} µs  ${name}`)
