import { type HelpIndex, helpFor } from '@svc/api/help'
import { afterEach, expect, test, vi } from 'vitest'
import { commandsFor, isCommandFirst, splitTypedCommand } from './commands.ts'
import { bestNameMatches } from './Palette.tsx'
import { loadIndex } from './useEntries.ts'

const named = (...names: string[]) => names.map((name) => ({ name }))
test.each([
  ['mail', ['a-mail', 'email', 'mail', 'mail-2', 'sorts-mails', 'x'], ['mail', 'mail-2', 'a-mail', 'sorts-mails']],
  ['MAIL ', ['mail-2', 'mail'], ['mail', 'mail-2']],
  ['mail–2', ['mail', 'x-mail-2', 'mail-2'], ['mail-2', 'x-mail-2', 'mail']],
  ['slow', ['link-1', 'link-2'], ['link-1', 'link-2']],
])('for "%s" the best names of %j come first', (typed, names, best) => {
  expect(bestNameMatches(typed, named(...names), 4)).toEqual(named(...best))
})

test.each([
  ['pause mail-1', 'pause', 'mail-1'],
  ['Mail-1 PAUSE ', 'pause', 'mail-1'],
  ['run now mail', 'run_now', 'mail'],
  ['run mail', 'run_now', 'mail'],
  ['pause mail–\u200b1', 'pause', 'mail-1'],
  ['run now', undefined, 'run now'],
  ['pause', undefined, 'pause'],
  ['pauses mail', undefined, 'pauses mail'],
  ['', undefined, ''],
])('"%s" is the command %s for "%s"', (typed, control, about) =>
  expect(splitTypedCommand(typed)).toMatchObject({ control, about }),
)

test.each([
  ['pause mail', true],
  ['run night', true],
  ['mail-1 pause', true],
  ['mail pause', false],
  ['night run', false],
  ['mail-1', false],
])('"%s" lists commands before agents: %s', (typed, isFirst) => {
  expect(isCommandFirst(typed, named('mail-1', 'night-1'))).toBe(isFirst)
})

test('commands are offered to agents that offer them: the named one, or all to an agent whose whole name is typed', () => {
  const agents = [
    { name: 'mail-1', silentAt: null, controls: ['pause' as const, 'run_now' as const] },
    { name: 'mail-2', silentAt: null, controls: [] },
    { name: 'mail-3', silentAt: null, controls: ['pause' as const] },
  ]
  const wordsOf = (typed: string) => commandsFor(typed, agents).map(({ words }) => words)
  expect(wordsOf('pause mail')).toEqual(['Pause mail-1', 'Pause mail-3'])
  expect(wordsOf('mail-1')).toEqual(['Pause mail-1', 'Run now mail-1'])
  expect(wordsOf('mail')).toEqual([])
  expect(wordsOf('resume mail')).toEqual([])
})

const index: HelpIndex = [
  [
    'page',
    'Using the page',
    [
      ['', 'Using the page', 'It shows agents.', ''],
      ['tags', 'Tags', 'A tag is a word.', 'region'],
    ],
  ],
  [
    'alerts',
    'Alerts',
    [
      ['', 'Alerts', 'Who is told.', 'tags'],
      ['mute', 'Mute', 'Say nothing.', 'hours'],
    ],
  ],
]
test.each([
  ['tag', ['/help/page#tags', '/help/alerts']],
  ['region tags', ['/help/page#tags']],
  ['alerts', ['/help/alerts', '/help/alerts#mute']],
  ['ｔａｇ', ['/help/page#tags', '/help/alerts']],
  ['ours', []],
  ['tags nothing-else', []],
])('the help for "%s" is %j', (typed, found) =>
  expect(helpFor(typed, index, 5).map(({ address }) => address)).toEqual(found),
)

afterEach(() => void vi.unstubAllGlobals())
test('an answer that is not the index, as from a node of an earlier version, is refused', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ error: { code: 'not_found' } }, { status: 404 }))
  await expect(loadIndex(new AbortController().signal)).rejects.toThrow('404')
  vi.stubGlobal('fetch', async () => Response.json(index))
  expect(await loadIndex(new AbortController().signal)).toEqual(index)
})
