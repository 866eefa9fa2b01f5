/** Tests the section *ai* of several looks, with the files of two folders. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { answerOf, claudeHome, prompt } from '../../../testing/ai/home.ts'
import { watchedSessions } from './ai-section.ts'

const madeHome = () => {
  const home = claudeHome()
  onTestFinished(() => home.remove())
  return home
}

test('looks at the same files of two folders say the same, whichever folder is read first', () => {
  const [first, second] = [madeHome(), madeHome()]
  for (const [home, version, output] of [
    [first, '2.1.332', 34],
    [second, '2.1.330', 7],
  ] as const)
    home.lines('a', [
      { ...prompt, version },
      { ...answerOf('1', output), version },
    ])
  const places = { state: join(first.root, 'state'), settings: join(first.root, 'none'), home: first.root }
  const { look } = watchedSessions(places)({
    names: 'number',
    folders: [`claude=${join(second.root, '.claude')}`],
  })
  const now = Date.now()
  const [one, two] = [look(now), look(now)]
  expect(one).toMatchObject({ health: [{ detail: '2.1.332: 0 open, 1 in 7 days' }], runs: [{ output_tokens: 34 }] })
  expect(two).toEqual(one)
})

test('a setting, which the page can change, changes neither the names of sessions nor what is reported', () => {
  const [home, other] = [madeHome(), madeHome()]
  home.lines('a', [prompt, answerOf('1')])
  other.lines('b', [prompt, answerOf('2')])
  const settings = join(home.root, 'settings.json')
  const section = watchedSessions({ state: join(home.root, 'state'), settings, home: home.root })
  const look = () => section({ names: 'number', folders: [] }).look(now)
  const now = Date.now()
  const before = look()
  expect(before.runs).toMatchObject([{ subjects: [{ title: 'claude 1' }] }])
  const folders = [`claude=${join(other.root, '.claude')}`]
  writeFileSync(settings, JSON.stringify({ jobs: true, ai: false, names: 'folder', folders, waiting_minutes: 5 }))
  expect(look()).toEqual(before)
})
