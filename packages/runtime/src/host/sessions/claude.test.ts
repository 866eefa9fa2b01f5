import { expect, test } from 'vitest'
import { claudeSessions, claudeState, type KnownProcess, readClaudeProcess, type TranscriptFile } from './claude.ts'
import { costOf, tokensOf } from './spent.ts'
import { emptyTranscript, type Transcript, withTranscriptLine } from './transcript.ts'

const dayOf = (at: number): number => Math.floor(at / 86_400)
const time = (second: number): string => new Date((1_800_000_000 + second) * 1000).toISOString()
const line = (second: number, type: string, more: object = {}) => ({
  ...{ type, timestamp: time(second), sessionId: 's', cwd: '/home/ada/harbour', version: '2.1.332' },
  ...more,
})
const answer = (second: number, id: string, output: number, more: object = {}) =>
  line(second, 'assistant', {
    message: {
      ...{
        id,
        model: 'claude-m',
        content: [
          { type: 'text', text: 'private' },
          { type: 'tool_use', name: 'Bash' },
        ],
      },
      usage: { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 7, output_tokens: output },
    },
    ...more,
  })
const read = (lines: readonly object[]): Transcript =>
  lines.reduce<Transcript>(
    (before, one) => withTranscriptLine(before, one as Record<string, unknown>, dayOf),
    emptyTranscript,
  )

test('the folder is the one in which the session began, whatever its shell does', () => {
  expect(read([line(1, 'user'), line(2, 'user', { cwd: '/home/ada/harbour/src' })]).folder).toBe('/home/ada/harbour')
})

test('an answer that has several lines is counted once, with its last tokens', () => {
  const { spent, steps } = read([
    ...[answer(1, 'a', 1), answer(2, 'a', 34), answer(3, 'b', 1), answer(4, 'a', 34), answer(5, 'b', 20)],
  ])
  expect(tokensOf(spent.all)).toEqual({ input: 30, cached: 14, output: 54 })
  expect(steps).toBe(5)
})

test('a transcript tells when it began and last changed, its folder, version and model, and no text', () => {
  const transcript = read([line(0, 'user', { message: { content: 'a private prompt' } }), answer(60, 'a', 1)])
  expect(transcript).toMatchObject({
    ...{ session: 's', folder: '/home/ada/harbour', version: '2.1.332', model: 'claude-m' },
    ...{ started: 1_800_000_000, last: 1_800_000_060, hasMessages: true, isFailed: false },
  })
  expect(JSON.stringify(transcript)).not.toContain('private')
})

test('the last word of the tool may be an error, until the person or the model goes on', () => {
  const error = line(2, 'assistant', {
    ...{ isApiErrorMessage: true, message: { model: '<synthetic>', usage: { output_tokens: 9 } } },
  })
  expect(read([answer(1, 'a', 1), error])).toMatchObject({ isFailed: true, model: 'claude-m' })
  expect(tokensOf(read([error]).spent.all).output).toBe(0)
  expect(read([error, line(3, 'system')]).isFailed).toBe(true)
  expect(read([error, line(3, 'user')]).isFailed).toBe(false)
  expect(read([error, answer(3, 'a', 1)]).isFailed).toBe(false)
})

const usage = { inputTokens: 10, cacheCreationInputTokens: 5, cacheReadInputTokens: 7, outputTokens: 34, costUSD: 0.5 }
const cost = { type: 'cost-state', sessionId: 's', totalCostUSD: 0.5, modelUsage: { 'claude-m': usage } }

test('a cost that the tool told contains the tokens that it names', () => {
  const { spent, reportedAt } = read([answer(1, 'a', 34), cost])
  expect(spent.reported).toEqual({
    ...{ usd: 0.5, models: { 'claude-m': 0.5 }, tokens: { 'claude-m': { input: 15, cached: 7, output: 34 } } },
  })
  expect(costOf(spent, {})).toEqual({ reported: 0.5, isMinimum: false })
  expect(reportedAt).toBe(1_800_000_001)
  expect(read([answer(1, 'a', 34), { ...cost, hasUnknownModelCost: true }]).spent.reported).toBeUndefined()
  const killed = read([answer(1, 'a', 34), answer(2, 'b', 34), cost])
  expect(costOf(killed.spent, {})).toEqual({ reported: 0.5, isMinimum: true })
})

test('a session that was forked counts only what it used itself, and its tool tells the cost of both', () => {
  const own = [line(100, 'queue-operation'), answer(1, 'a', 34), line(2, 'user'), answer(103, 'b', 7), cost]
  const forked = read(own)
  expect(forked).toMatchObject({ isFork: true, started: 1_800_000_100, steps: 1 })
  expect(tokensOf(forked.spent.all).output).toBe(7)
  expect(forked.spent.reported).toBeUndefined()
  const named = read([answer(1, 'a', 34, { session_id: 'other' }), answer(2, 'b', 7, { session_id: 's' })])
  expect(tokensOf(named.spent.all).output).toBe(7)
})

test.each<[string, Partial<KnownProcess> | undefined, Partial<Transcript>, string]>([
  ['its process works', { life: 'lives', status: 'busy' }, {}, 'running'],
  ['it says an unknown word', { life: 'lives', status: 'odd' }, {}, 'running'],
  ['it waits for a person', { life: 'lives', status: 'waiting' }, {}, 'waiting'],
  ['it is at its prompt', { life: 'lives', status: 'idle' }, {}, 'idle'],
  ['a command runs in the background', { life: 'lives', status: 'shell' }, {}, 'idle'],
  ['it is at its prompt after an error', { life: 'lives', status: 'idle' }, { isFailed: true }, 'failed'],
  ['it tries again after an error', { life: 'lives', status: 'busy' }, { isFailed: true }, 'running'],
  ['it died at work', { life: 'gone', status: 'busy' }, {}, 'died'],
  ['it died while it waited', { life: 'gone', status: 'waiting' }, {}, 'died'],
  ['it was killed at its prompt', { life: 'gone', status: 'idle' }, {}, 'over'],
  ['it was killed with a command in the background', { life: 'gone', status: 'shell' }, {}, 'over'],
  ['it is gone with an unknown word', { life: 'gone', status: 'odd' }, {}, 'over'],
  ['it is gone after an error', { life: 'gone', status: 'idle' }, { isFailed: true }, 'failed'],
  ['it ended', undefined, {}, 'over'],
  ['it ended with an error', undefined, { isFailed: true }, 'failed'],
  ['it died, went on and ended well', { life: 'gone', status: 'busy', since: 5 }, { reportedAt: 6 }, 'over'],
  ['it ended well, went on and died', { life: 'gone', status: 'busy', since: 6 }, { reportedAt: 5 }, 'died'],
])('%s', (_what, note, transcript, state) =>
  expect(claudeState(note as KnownProcess | undefined, { isFailed: false, ...transcript } as Transcript)).toBe(state),
)

const file = (session: string, transcript: Transcript, more: Partial<TranscriptFile> = {}): TranscriptFile => ({
  ...{ session, isSubagent: false, transcript, hasGaps: false, isNew: true },
  ...more,
})
const process = (session: string, life: KnownProcess['life'], more: Partial<KnownProcess> = {}): KnownProcess => ({
  ...{ session, pid: 7, start: '9', status: 'busy', since: 1_800_000_050, life },
  ...more,
})
const sessionsIn = (files: readonly TranscriptFile[], processes: readonly KnownProcess[] = []) =>
  claudeSessions({ files, processes, faults: [] })

test('what subagents used counts for the session that started them, which stays one session', () => {
  const { sessions } = sessionsIn([
    file('s', read([answer(1, 'a', 10)])),
    file('s', read([answer(2, 'b', 30), answer(3, 'c', 5)]), { isSubagent: true }),
  ])
  expect(sessions).toHaveLength(1)
  expect(sessions[0]).toMatchObject({ id: 's', state: 'over', steps: 1, last: 1_800_000_003 })
  expect(tokensOf(sessions[0]?.spent.all ?? {}).output).toBe(45)
})

test('a session that was resumed has the process that lives, whatever a note before says', () => {
  const dead = process('s', 'gone', { pid: 6, since: 1_800_000_099 })
  const { sessions } = sessionsIn([file('s', read([answer(1, 'a', 1)]))], [dead, process('s', 'lives')])
  expect(sessions).toMatchObject([{ state: 'running', pid: 7, lives: true, since: 1_800_000_050 }])
  expect(sessionsIn([], [process('s', 'gone', { status: 'idle' }), dead]).sessions).toEqual([])
})

test('a session without messages is one only while it lives', () => {
  const empty = read([line(0, 'mode')])
  expect(sessionsIn([file('s', empty)]).sessions).toEqual([])
  expect(sessionsIn([], [process('s', 'lives', { status: 'idle' })]).sessions).toMatchObject([{ state: 'idle' }])
})

test('a session that lives in a container is counted, and is none here', () => {
  const found = sessionsIn([file('s', read([answer(1, 'a', 1)]))], [process('s', 'elsewhere')])
  expect(found).toMatchObject({ sessions: [], elsewhere: 1 })
  const both = sessionsIn([file('s', read([answer(1, 'a', 1)]))], [process('s', 'elsewhere'), process('s', 'lives')])
  expect(both).toMatchObject({ sessions: [{ id: 's', lives: true }], elsewhere: 0 })
})

test('the item names what is not understood, but no text of a person', () => {
  const odd = read([line(1, 'new-kind', { text: 'private' }), line(2, 'later')])
  expect(sessionsIn([file('s', odd)]).faults).toEqual(['lines of the type "new-kind" are not understood'])
  expect(sessionsIn([file('s', odd, { isNew: false })]).faults).toEqual([])
  expect(sessionsIn([file('s', read([line(1, 'my private words')]))]).faults[0]).toContain('something unknown')
  expect(sessionsIn([file('s', read([line(1, 'new-kind'), answer(2, 'a', 1)]))]).faults).toEqual([])
  expect(sessionsIn([], [process('s', 'lives', { status: 'odd' })]).faults).toEqual(['its state "odd" is not known'])
  expect(sessionsIn([file('s', odd)]).version).toBe('2.1.332')
})

const noted = { sessionId: '878356e9-1408-4e0d-a264-af051ecac034', pid: 7, procStart: '9', status: 'idle' }

test('a note about a process names the session and its process', () =>
  expect(readClaudeProcess(noted)).toEqual({ session: noted.sessionId, pid: 7, start: '9', status: 'idle' }))

test.each<[string, object]>([
  ['no session', { ...noted, sessionId: undefined }],
  ['a session that is none', { ...noted, sessionId: 's' }],
  ['no pid', { ...noted, pid: undefined }],
  ['a pid that is none', { ...noted, pid: -1 }],
  ['other types', { sessionId: 7, pid: '7', procStart: {}, status: [] }],
])('a note about a process with %s is passed over', (_what, note) =>
  expect(readClaudeProcess(note as Record<string, unknown>)).toBeUndefined(),
)
