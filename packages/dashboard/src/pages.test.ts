import { expect, test } from 'vitest'
import { addressIn, everyPage } from '../testing/pages.ts'
import { paths } from './paths.ts'

const ids = { slug: 'north', name: 'mail', blueprint: 'sorter', id: '7' }

test('the pages that tests open are all pages of people who are signed in, with each tab', () => {
  expect(everyPage).toContain(paths.settings)
  expect(everyPage).toContain(`${paths.agent}?tab=logs`)
  expect(everyPage).not.toContain(paths.signIn)
  expect(everyPage.map((path) => addressIn(path, ids)).filter((address) => address.includes('$'))).toEqual([])
})

test('a page with a parameter that the tests do not know is named', () => {
  expect(() => addressIn('/w/$slug/places/$place', ids)).toThrow('$place of /w/$slug/places/$place')
})
