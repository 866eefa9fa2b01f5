import type { FleetRow } from '@svc/server/api'
import { expect, test } from 'vitest'
import { query } from '../../api.ts'
import { asked, pressed, standing, windowsOf } from './view.ts'

test('without anything in the address the worst come first', () => {
  expect(asked({})).toMatchObject({ sort: 'level', desc: true })
})

test.each([
  ['bad', 'level=bad'],
  ['never', 'level=never'],
  ['silent', 'silent=true'],
] as const)('the filter "%s" asks for %s', (show, text) => {
  expect(query({ ...asked({ show }) })).toContain(text)
})

test('a column is pressed its first way, then the other, then the first again', () => {
  const once = pressed({}, 'cost_30')
  const twice = pressed(once, 'cost_30')
  expect([once, twice, pressed(twice, 'cost_30')].map((view) => asked(view).desc)).toEqual([true, false, true])
  expect(asked(pressed({}, 'name'))).toMatchObject({ sort: 'name', desc: false })
})

test('pressing the usual order away and back leaves a clean address', () => {
  expect(pressed(pressed({}, 'level'), 'level')).toEqual({})
})

test.each([
  [0, 30, [0]],
  [190, 220, [0, 200]],
  [400, 401, [400]],
  [0, 0, [0]],
  [150, 610, [0, 200, 400, 600]],
])('rows %i to %i stand in the windows %j', (first, last, windows) => {
  expect(windowsOf(first, last, 200)).toEqual(windows)
})

test.each([
  [null, 'never'],
  [1_000, 'silent'],
  [1_001, 'reporting'],
] as const)('silent from %s on, at 1000 it is %s', (silentAt, stands) => {
  expect(standing({ silentAt } as FleetRow, 1_000)).toBe(stands)
})
