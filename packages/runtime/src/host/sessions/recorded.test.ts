/** Tests the sessions of each tool with lines that the real tools wrote (testing/ai/record.ts), whole and damaged. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { damageLine, reportOf } from '../../../testing/ai/report.ts'
import { privateMarks } from '../../../testing/private.ts'
import { randomOf, seed } from '../../../testing/random.ts'
import { claudeSessions, type KnownProcess, readClaudeProcess } from './claude.ts'
import { codexSessions } from './codex.ts'
import { emptyRollout, withRolloutLine } from './rollout.ts'
import type { FoundTool } from './session.ts'
import { tokensOf } from './spent.ts'
import { emptyTranscript, withTranscriptLine } from './transcript.ts'
import { objectIn } from './values.ts'

const root = join(import.meta.dirname, '../../../testing/ai/recorded')
const dayOf = (at: number): number => Math.floor(at / 86_400)
const names = (version: string, ending: string) =>
  readdirSync(join(root, version))
    .filter((name) => name.endsWith(ending))
    .sort()
type Change = (line: string) => string
const linesOf = (version: string, name: string, change: Change) =>
  readFileSync(join(root, version, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => objectIn(Buffer.from(change(line))))
    .filter((line) => line !== undefined)

/** The sessions of a version of Claude Code. Only the process of the session that waits still runs. */
function claude(version: string, change: Change = (line) => line): FoundTool {
  const processes = names(version, '.note').flatMap((name): KnownProcess[] => {
    const [note] = linesOf(version, name, change)
    const read = note && readClaudeProcess(note)
    return read ? [{ ...read, life: read.status === 'waiting' ? 'lives' : 'gone' }] : []
  })
  const files = names(version, '.jsonl').map((name) => ({
    session: name.replace('.jsonl', ''),
    transcript: linesOf(version, name, change).reduce(
      (before, line) => withTranscriptLine(before, line, dayOf),
      emptyTranscript,
    ),
    ...{ isSubagent: false, hasGaps: false, isNew: true },
  }))
  return claudeSessions({ files, processes, faults: [] })
}

/** The sessions of a version of Codex. The one that asks, the newest, has its lock. */
function codex(version: string, change: Change = (line) => line): FoundTool {
  const all = names(version, '.jsonl')
  const files = all.map((name) => ({
    rollout: linesOf(version, name, change).reduce(
      (before, line) => withRolloutLine(before, line, dayOf),
      emptyRollout,
    ),
    holder: name === all.at(-1) ? 7 : ('none' as const),
    ...{ hasGaps: false, isNew: true, changed: 0 },
  }))
  const last = Math.max(...files.map(({ rollout }) => rollout.last ?? 0))
  return codexSessions(files, [], last + 60)
}

const readers = [
  ['claude-2.1.330', claude],
  ['claude-2.1.332', claude],
  ['codex-0.169.0', codex],
  ['codex-0.171.0', codex],
] as const

describe.each(readers)('%s', (version, read) => {
  test('a good run, a failed one, a killed one and a question are what they were', () => {
    const { sessions, version: told, faults } = read(version)
    expect(sessions.map(({ state }) => state).sort()).toEqual(['died', 'failed', 'over', 'waiting'])
    expect([told, faults]).toEqual([version.replace(/^\w+-/, ''), []])
    const good = sessions.find(({ state }) => state === 'over')
    expect(good?.folder).toBe('/srv/folder-mark/harbour')
    // The model service tells the same tokens for each of the two answers.
    expect(good && tokensOf(good.spent.all)).toMatchObject({ cached: 1600, output: 68 })
    expect(good?.steps).toBe(1)
    expect(good?.spent.reported?.usd).toBe(version.startsWith('claude') ? 0.01228 : undefined)
  })

  test('nothing that a person or a model wrote is in the report', () => {
    const report = reportOf(read(version))
    for (const mark of privateMarks) expect(report).not.toContain(mark)
  })

  test(`damaged lines never throw, and tell no text either, with the seed ${seed}`, () => {
    const random = randomOf(seed)
    for (let round = 0; round < byLevel(10, 100, 2000); round++) {
      const report = reportOf(read(version, (line) => damageLine(line, random)))
      for (const mark of privateMarks) expect(report).not.toContain(mark)
    }
  })
})
