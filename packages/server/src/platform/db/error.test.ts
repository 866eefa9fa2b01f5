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
  ['a disk of SQLite that fails to sync', { code: 'ERR_SQLITE_ERROR', errcode: 1034 }],
  ['a SQLite file that another program locked', { code: 'ERR_SQLITE_ERROR', errcode: 517 }],
  ['a read-only SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 8 }],
  ['a read-only copy of PostgreSQL', { code: '25006' }],
  ['a damaged SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 11 }],
  ['a damaged PostgreSQL', { code: 'XX001' }],
  ['a PostgreSQL that shuts down', { code: '57P01' }],
  ['a connection that was refused', { code: 'ECONNREFUSED' }],
  ['a name of the host that nobody knows', { code: 'ENOTFOUND' }],
  ['names that nobody answers', { code: 'EAI_AGAIN' }],
  ['a connection that ended', { message: 'Connection terminated unexpectedly' }],
  ['a connection that was not made in time', { message: 'timeout exceeded when trying to connect' }],
  [
    'a connection that broke before',
    {
      message: 'Client has encountered a connection error and is not queryable',
    },
  ],
])('%s is a failure of the database, not a conflict', (_, facts) => {
  expect(isConstraint(error(facts))).toBe(false)
  expect(isDatabaseFailure(error(facts))).toBe(true)
})

test.each([
  ['a text', 'a text'],
  ['an error of our own', new Error('ours')],
  ['bad SQL on PostgreSQL', error({ code: '42601' })],
  ['bad SQL on SQLite', error({ code: 'ERR_SQLITE_ERROR', errcode: 1 })],
  ['a missing value on PostgreSQL', error({ code: '23502' })],
  ['a missing value on SQLite', error({ code: 'ERR_SQLITE_ERROR', errcode: 1299 })],
  ['a value against a check on PostgreSQL', error({ code: '23514' })],
  ['a value against a check on SQLite', error({ code: 'ERR_SQLITE_ERROR', errcode: 275 })],
])('%s is neither a conflict nor a failure of the database', (_, what) => {
  expect(isConstraint(what)).toBe(false)
  expect(isDatabaseFailure(what)).toBe(false)
})
