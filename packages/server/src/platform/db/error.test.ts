import { expect, test } from 'vitest'
import { isConstraint, isDatabaseFailure } from './error.ts'

const error = (facts: object) => Object.assign(new Error('the database said no'), facts)

test.each([
  ['a unique key of PostgreSQL', { code: '23505' }],
  ['a foreign key of PostgreSQL', { code: '23503' }],
  ['a unique key of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 2067 }],
  ['a primary key of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 1555 }],
  ['a foreign key of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 787 }],
])('violating %s is a conflict, not a failure of the database', (_, facts) => {
  expect(isConstraint(error(facts))).toBe(true)
  expect(isDatabaseFailure(error(facts))).toBe(false)
})

test.each([
  ['a full disk of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 13 }],
  ['a PostgreSQL that shuts down', { code: '57P01' }],
  ['a connection that was refused', { code: 'ECONNREFUSED' }],
])('%s is a failure of the database, not a conflict', (_, facts) => {
  expect(isConstraint(error(facts))).toBe(false)
  expect(isDatabaseFailure(error(facts))).toBe(true)
})

test.each([['a text'], [new Error('ours')], [error({ code: '42601' })]])(
  '%s is neither a conflict nor a failure of the database',
  (what) => {
    expect(isConstraint(what)).toBe(false)
    expect(isDatabaseFailure(what)).toBe(false)
  },
)
