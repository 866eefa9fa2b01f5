/**
 * Tests that no kill of the service or its database breaks a promise to agents and people, in storms of random kills.
 * `npm test` leaves this out. packages/server/src/agent-api/reports/history.store.test.ts proves the same rules.
 */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { level } from '../../../../testing/level.ts'
import { faultsOf } from '../../testing/checker/check.ts'
import { type Line, linesOfKind } from '../../testing/checker/lines.ts'
import { runStorm, type StormOptions } from '../../testing/storm/storm.ts'

const long = level === 'long'
/** SVC_TEST_SEED repeats a storm. The kills keep their order, but not their exact times. */
const given = process.env.SVC_TEST_SEED
const seeds = given ? [Number(given)] : Array.from({ length: long ? 10 : 1 }, () => Math.floor(Math.random() * 1e9))

/** The minimum numbers of events that a storm must contain. Otherwise its result proves too little. */
const minCounts = {
  'reports confirmed': 50,
  'commands handed out': 6,
  'codes redeemed': 1,
  'answers with a wish': 1,
  'with a runtime wished': 1,
  'attempts of runtimes ended': 1,
  'tokens rotated': 1,
  'agents deleted': 1,
  'releases served': 2,
}
type Seen = { [K in keyof typeof minCounts]: number }

function seenIn(lines: readonly Line[]): Seen {
  const good = linesOfKind(lines, 'answer').filter(({ status }) => status === 200)
  return {
    'reports confirmed': good.length,
    'commands handed out': good.flatMap(({ commands }) => commands).length,
    'codes redeemed': linesOfKind(lines, 'redeem').filter(({ status }) => status === 200).length,
    'answers with a wish': good.filter(({ desired }) => desired !== undefined).length,
    'with a runtime wished': good.filter(({ runtime }) => runtime !== undefined).length,
    'attempts of runtimes ended': linesOfKind(lines, 'send').filter(({ runtime }) => runtime?.ends !== undefined)
      .length,
    'tokens rotated': linesOfKind(lines, 'void').length,
    'agents deleted': linesOfKind(lines, 'delete').length,
    'releases served': linesOfKind(lines, 'serve').length,
  }
}
const lacking = (seen: Seen) => Object.entries(minCounts).filter(([what, count]) => seen[what as keyof Seen] < count)
const enough: StormOptions['enough'] = (lines) => lacking(seenIn(lines)).length === 0

const short: Omit<StormOptions, 'seed'> = {
  faults: ['node', 'database'],
  nodes: 2,
  agents: 10,
  pause: 150,
  calm: 1500,
  enough,
}
const kinds = ['node', 'database', 'both'] as const
const heavy: Omit<StormOptions, 'seed'> = {
  faults: Array.from({ length: 15 }, (_, i) => kinds[i % kinds.length] ?? 'node'),
  nodes: 3,
  agents: 24,
  pause: 600,
  calm: 2500,
  enough,
}
const alone = { faults: Array.from({ length: long ? 15 : 2 }, () => 'node' as const), nodes: 1 }

test.each([
  ['nodes and the database are killed', 'postgres', {}],
  ['the one node is killed, which has the database in it', 'sqlite', alone],
] as const)(
  'while %s, every confirmed fact stays true (I1 to I16, 3.4; %s)',
  { timeout: long ? 7_200_000 : 300_000 },
  async (_what, engine, less) => {
    for (const seed of seeds) {
      const { lines, healed } = await runStorm({ seed, ...(long ? heavy : short), ...less }, engine)
      const faults = faultsOf(lines)
      const file = join(tmpdir(), `svc-storm-${engine}-${seed}.jsonl`)
      if (faults.length > 0) writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
      expect(faults, `seed ${seed}, lines in ${file}`).toEqual([])
      const seen = seenIn(lines)
      const busy = linesOfKind(lines, 'answer').filter(({ status }) => status === 503).length
      const printed = Object.entries(seen).map(([what, count]) => `${count} ${what}`)
      console.log(
        `${engine}, seed ${seed}: ${printed.join(', ')}, ${busy} answered 503; well again after ${healed.join(', ') || '-'} ms`,
      )
      expect(lacking(seen)).toEqual([])
      for (const ms of healed) expect(ms, 'well again after the database is back').toBeLessThan(5000)
    }
  },
)
