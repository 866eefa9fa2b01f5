import { expect, test } from 'vitest'
import { databaseName, sqliteNamesIn } from './database.ts'

test.each([
  ['20.20.2', 'none'],
  ['21.7.3', 'none'],
  ['22.12.0', 'none'],
  ['22.13.0', 'paths'],
  ['22.14.0', 'paths'],
  ['22.15.0', 'paths and URLs'],
  ['22.21.1', 'paths and URLs'],
  ['23.3.0', 'none'],
  ['23.4.0', 'paths'],
  ['23.9.0', 'paths'],
  ['23.10.0', 'paths and URLs'],
  ['24.0.0', 'paths and URLs'],
  ['25.1.0-nightly', 'paths and URLs'],
])('Node %s opens databases by %s', (node, names) => expect(sqliteNamesIn(node)).toBe(names))

test('only a database that nobody has open is opened as one that nobody changes, where Node can say so', () => {
  const file = '/srv/a b?c#d%20/opencode.db'
  expect(databaseName(file, false, 'paths and URLs')).toBe('file:///srv/a%20b%3Fc%23d%2520/opencode.db?immutable=1')
  expect(databaseName(file, true, 'paths and URLs')).toBe(file)
  expect(databaseName(file, false, 'paths')).toBe(file)
})
