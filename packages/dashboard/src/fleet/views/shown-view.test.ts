import type { SavedView } from '@svc/api'
import { expect, test } from 'vitest'
import { defaultColumns } from './columns.ts'
import { mayChangeView, replacedView, shownViewOf, viewOfState } from './shown-view.ts'
import type { FleetListChoice } from './state.ts'

const plain: FleetListChoice = { q: '', sort: '-level', columns: defaultColumns }
const view = (id: string, more: Partial<SavedView> = {}): SavedView => ({
  ...{ id, name: id, shared: false, q: `tag:${id}`, sort: null, columns: null },
  ...more,
})
const all = [
  view('eu', { shared: true }),
  view('us'),
  view('costs', { q: '', sort: '-cost_today' }),
  view('hosts', { columns: ['host', 'state'] }),
]

test.each<[what: string, opened: string | undefined, state: Partial<FleetListChoice>, shown: string | undefined]>([
  ['the plain list', undefined, {}, undefined],
  ['a filter that no view has', undefined, { q: 'mail' }, undefined],
  ['the filter of a view that was not opened', undefined, { q: ' tag:us ' }, 'us'],
  ['an opened view', 'us', { q: 'tag:us' }, 'us'],
  ['another filter than the opened view', 'us', { q: 'tag:us mail' }, 'us, changed'],
  ['another order than the opened view', 'us', { q: 'tag:us', sort: 'name' }, 'us, changed'],
  ['the filter of another view than the opened one', 'us', { q: 'tag:eu' }, 'eu'],
  ['an opened view whose filter was removed', 'us', {}, undefined],
  ['a view of an order only', undefined, { sort: '-cost_today' }, 'costs'],
  ['a view of an order only, with another order', 'costs', { sort: 'cost_today' }, 'costs, changed'],
  ['the columns of a view, in any order', 'hosts', { q: 'tag:hosts', columns: ['state', 'host'] }, 'hosts'],
  ['other columns than the opened view', 'hosts', { q: 'tag:hosts', columns: ['host'] }, 'hosts, changed'],
  ['any columns if the view has none', 'us', { q: 'tag:us', columns: ['host'] }, 'us'],
  ['an opened view that was removed', 'gone', { q: 'mail' }, undefined],
])('%s', (_what, opened, state, shown) => {
  const shownView = shownViewOf(all, opened, { ...plain, ...state })
  expect(shownView && `${shownView.view.id}${shownView.differs ? ', changed' : ''}`).toBe(shown)
})

test('two views that are the same: the one that was opened is shown', () => {
  const twins = [view('first', { q: 'mail' }), view('second', { q: 'mail' })]
  const state = { ...plain, q: 'mail' }
  expect([undefined, 'second'].map((id) => shownViewOf(twins, id, state)?.view.id)).toEqual(['first', 'second'])
})

test('a new view keeps the order and the columns only if a person chose them', () => {
  const kept = { name: 'Mails', shared: true, q: 'mail' }
  expect(viewOfState({ ...plain, q: ' mail ' }, ' Mails ', true)).toEqual({ ...kept, sort: null, columns: null })
  const chosen: FleetListChoice = { q: 'mail', sort: 'name', columns: ['host'] }
  expect(viewOfState(chosen, 'Mails', true)).toEqual({ ...kept, sort: 'name', columns: ['host'] })
})

test('a view replaces one of the same name and owner, and only admins change those of the workspace', () => {
  expect(replacedView(all, ' eu ', true)?.id).toBe('eu')
  expect(replacedView(all, 'eu', false)).toBeUndefined()
  expect(all.map((one) => [one.id, mayChangeView(one, 'member'), mayChangeView(one, 'admin')])).toEqual([
    ['eu', false, true],
    ['us', true, true],
    ['costs', true, true],
    ['hosts', true, true],
  ])
})
