/** Tests which tokens and changes the example product `tasks` accepts, and what it does when its disk fails. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limits, Store } from './product/store.mts'
import { type Bot, judge } from './product/tokens.mts'

const now = 1_700_000_000
const good = {
  active: true,
  sub: 'b1',
  username: 'mail',
  workspace: 'w1',
  scope: 'tasks.read',
  aud: 'tasks',
  exp: now + 60,
}

test.each<[what: string, change: object, is: string]>([
  ['that is good', {}, 'bot'],
  ['that is not active', { active: false }, 'refused'],
  ['whose "active" is no truth value', { active: 'true' }, 'refused'],
  ['for another product', { aud: 'mails' }, 'refused'],
  ['that has expired', { exp: now }, 'refused'],
  ['of no end', { exp: undefined }, 'refused'],
  ['of no workspace', { workspace: undefined }, 'refused'],
])('a token %s', (_what, change, is) => {
  expect(judge({ ...good, ...change }, 'tasks', now * 1000).is).toBe(is)
})

const bot: Bot = { id: 'b1', name: 'mail', workspace: 'w1', workspaceName: 'North', role: 'editor', scopes: new Set() }

function newSetup() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tasks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = { now }
  const file = join(folder, 'tasks.json')
  return { folder, file, clock, store: new Store(file, () => clock.now) }
}

test('a change that the disk refuses did not happen', () => {
  const { folder, store } = newSetup()
  const opened = store.open(bot, { key: null, title: 'one', detail: '' })
  rmSync(folder, { recursive: true })
  expect(() => store.open(bot, { key: null, title: 'two', detail: '' })).toThrow('ENOENT')
  expect(() => store.change('w1', opened?.task.id ?? '', { state: 'done' })).toThrow('ENOENT')
  expect(store.tasks).toEqual([opened?.task])
})

test('the newest closed tasks are kept up to a limit; too many open ones are refused', () => {
  const { file, store, clock } = newSetup()
  const { open, done } = limits
  Object.assign(limits, { open: 3, done: 2 })
  onTestFinished(() => void Object.assign(limits, { open, done }))
  for (const title of ['a', 'b', 'c']) store.open(bot, { key: null, title, detail: '' })
  expect(store.open(bot, { key: null, title: 'd', detail: '' })).toBeUndefined()
  for (const { id } of store.tasks) {
    clock.now += 1
    store.change('w1', id, { state: 'done' })
  }
  expect(store.tasks.map((t) => t.title)).toEqual(['b', 'c'])
  expect(new Store(file).tasks).toEqual(store.tasks)
  expect(JSON.parse(readFileSync(file, 'utf8')).tasks).toHaveLength(2)
})
