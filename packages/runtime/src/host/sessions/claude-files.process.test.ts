/** Tests the sessions of Claude Code with processes that really live, and with processes that are really gone. */
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answerOf, type ClaudeHome, claudeHome, failure, prompt, sessionId } from '../../../testing/ai/home.ts'
import { claudeReader } from './claude-files.ts'
import { newBudget } from './growing.ts'
import { thisMachine } from './machine.ts'
import type { FoundTool } from './session.ts'
import { tokensOf } from './spent.ts'

let home: ClaudeHome
beforeEach(() => {
  home = claudeHome()
})
afterEach(() => home.remove())

const dayOf = (at: number): number => Math.floor(at / 86_400)
const reader = () => {
  const read = claudeReader(join(home.root, '.claude'), thisMachine())
  return (now = Date.now(), budget = newBudget()): FoundTool | undefined => read({ now, budget, dayOf })
}
const stateOf = (id: string): string | undefined => reader()()?.sessions.find((one) => one.id === sessionId(id))?.state

test.each([
  ['busy', 'running', 'died'],
  ['waiting', 'waiting', 'died'],
  ['idle', 'idle', 'over'],
  ['shell', 'idle', 'over'],
  ['pondering', 'running', 'over'],
])('a session whose last word is %s is %s, and once its process is killed %s', async (status, alive, dead) => {
  const child = home.startProcess()
  home.lines('s', [prompt, answerOf('a')])
  home.note('s', child.pid, status)
  expect(stateOf('s')).toBe(alive)
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  expect(stateOf('s')).toBe(dead)
})

test('a session without a note about a process is over, and one whose last word is an error failed', () => {
  home.lines('good', [prompt, answerOf('a')])
  home.lines('bad', [prompt, failure])
  expect([stateOf('good'), stateOf('bad')]).toEqual(['over', 'failed'])
})

test('a pid that belongs to another process by now is no life', async () => {
  const other = home.startProcess()
  home.lines('s', [prompt])
  home.note('s', other.pid, 'waiting', { procStart: '12345' })
  expect(stateOf('s')).toBe('died')
})

test.each([
  ['of an old version, without a start, is passed over', { procStart: undefined }, 'over', 0],
  ['of a container is counted, and shown nowhere', { pidDomain: 'linux:abc:pid:[1]' }, undefined, 1],
  ['of a machine without an id is judged by the rest', { pidDomain: undefined }, 'running', 0],
])('a note %s', (_what, more, state, elsewhere) => {
  home.lines('s', [prompt])
  home.note('s', home.startProcess().pid, 'busy', more)
  expect([stateOf('s'), reader()()?.elsewhere]).toEqual([state, elsewhere])
})

test('waiting is seen at the next look, and so is the answer', () => {
  const look = reader()
  const { pid } = home.startProcess()
  home.lines('s', [prompt])
  const states = ['busy', 'waiting', 'idle'].map((status) => {
    home.note('s', pid, status)
    return look()?.sessions[0]?.state
  })
  expect(states).toEqual(['running', 'waiting', 'idle'])
})

test('a note that is being written counts as it was before', () => {
  const look = reader()
  const file = home.note('s', home.startProcess().pid, 'waiting')
  expect(look()?.sessions[0]?.state).toBe('waiting')
  writeFileSync(file, '{"pid":7,"sess')
  expect(look()?.sessions[0]?.state).toBe('waiting')
})

test('what is added is counted at the next look, with what subagents used', () => {
  const look = reader()
  const used = () => tokensOf(look()?.sessions[0]?.spent.all ?? {}).output
  home.lines('s', [prompt, answerOf('a', 10)])
  expect(used()).toBe(10)
  home.lines('s', [answerOf('b', 20), answerOf('b', 25)])
  expect(used()).toBe(35)
  home.lines('s', [answerOf('c', 5)], 'subagents/deep/agent-1.jsonl')
  expect(used()).toBe(40)
  home.lines('s', [answerOf('d', 1)], 'tool-results/x.jsonl')
  expect(used()).toBe(40)
  expect(look()?.sessions).toHaveLength(1)
})

test('files that nothing touched for seven days are not opened', () => {
  const file = home.lines('s', [prompt])
  const old = Date.now() / 1000 - 8 * 86_400
  utimesSync(file, old, old)
  expect(reader()()).toBeUndefined()
  utimesSync(file, old + 2 * 86_400, old + 2 * 86_400)
  expect(reader()()?.sessions).toHaveLength(1)
})

test('there is nothing to say without files of the tool', () => {
  rmSync(join(home.root, '.claude'), { recursive: true })
  expect(reader()()).toBeUndefined()
})

test('links are not followed, and a file of keys is never opened', () => {
  home.lines('s', [prompt])
  symlinkSync('/etc', join(home.root, '.claude/projects/-etc'))
  symlinkSync('/etc/passwd', join(home.root, '.claude/projects/-srv-folder-mark/x.jsonl'))
  mkdirSync(join(home.root, '.claude/sessions/8.json'))
  writeFileSync(join(home.root, '.claude/sessions/8.abc.key'), 'secret-mark')
  expect(reader()()).toMatchObject({ sessions: [{ id: sessionId('s') }], faults: [] })
})

const isRoot = process.getuid?.() === 0
process.stderr.write(
  isRoot
    ? 'NOT TESTED: files of Claude Code without rights, since root may read all files\n'
    : 'NOT TESTED: files of Claude Code of another user, since only root can make them\n',
)
const transcript = (name: string) => join(home.root, '.claude/projects/-srv-folder-mark', `${sessionId(name)}.jsonl`)

/** A change of the files of one session, and the fault in the item of the tool. The other session stays. */
test.each<[string, () => void, string | undefined]>([
  ['half a line at its end', () => appendFileSync(transcript('bad'), '{"type":"assistant","mess'), undefined],
  [
    'no JSON at all',
    () => writeFileSync(transcript('bad'), 'not json\n'),
    'lines of the type "no JSON" are not understood',
  ],
  [
    'lines of other types',
    () => writeFileSync(transcript('bad'), '[]\n7\nnull\n"x"\n'),
    'lines of the type "no JSON" are not understood',
  ],
  [
    'fields of other types',
    () => home.lines('bad', [{ type: 'assistant', message: 7, timestamp: {}, cwd: [] }]),
    undefined,
  ],
  [
    'a newer version',
    () => writeFileSync(transcript('bad'), '{"type":"turn"}\n'),
    'lines of the type "turn" are not understood',
  ],
  ['less than before', () => truncateSync(transcript('bad'), 0), undefined],
  ['another file with its name', () => renameSync(home.lines('new', [prompt]), transcript('bad')), undefined],
  ['a file that is compressed', () => renameSync(transcript('bad'), `${transcript('bad')}.zst`), undefined],
  [
    'a folder in its place',
    () => {
      rmSync(transcript('bad'))
      mkdirSync(transcript('bad'))
    },
    undefined,
  ],
  ['a note that is no JSON', () => writeFileSync(join(home.root, '.claude/sessions/9.json'), '{'), undefined],
  [
    'a note without its session',
    () => writeFileSync(join(home.root, '.claude/sessions/9.json'), '{"pid":1}'),
    undefined,
  ],
])('%s costs at most the item of the tool', (_what, change, fault) => {
  const look = reader()
  home.lines('good', [prompt, answerOf('a', 10)])
  home.lines('bad', [prompt, answerOf('b', 20)])
  expect(look()?.sessions).toHaveLength(2)
  change()
  const found = look()
  expect(found?.faults).toEqual(fault === undefined ? [] : [fault])
  const good = found?.sessions.find(({ id }) => id === sessionId('good'))
  expect([good?.state, tokensOf(good?.spent.all ?? {}).output]).toEqual(['over', 10])
})

test.skipIf(isRoot)('files and folders without rights are counted', () => {
  home.lines('good', [prompt])
  chmodSync(home.lines('bad', [prompt]), 0)
  mkdirSync(join(home.root, '.claude/projects/-closed'), { mode: 0 })
  expect(reader()()?.faults).toEqual(['1 file cannot be read', '1 folder cannot be read'])
})

test.runIf(isRoot)('a file of somebody else is not read', () => {
  home.lines('good', [prompt])
  chownSync(home.lines('bad', [prompt]), 12_345, 12_345)
  expect(reader()()).toMatchObject({ sessions: [{ id: sessionId('good') }], faults: ['1 file cannot be read'] })
})

test('a folder that is a link to another place is read', () => {
  home.lines('s', [prompt])
  const other = join(home.root, 'elsewhere')
  renameSync(join(home.root, '.claude'), other)
  symlinkSync(other, join(home.root, '.claude'))
  expect(reader()()?.sessions).toHaveLength(1)
})
