import { expect, test } from 'vitest'
import type { Config } from '../platform/base.ts'
import { moveToPostgres } from './cli/move.ts'
import { configOf } from './config.ts'

/** The ways in which somebody gives the address of a database. */
const ways: readonly (readonly [way: string, give: (address: string) => Promise<unknown>])[] = [
  ['SVC_DATABASE_URL', async (address) => configOf({ SVC_DATABASE_URL: address }, '/')],
  [
    '--to',
    (to) =>
      moveToPostgres(
        { args: [], options: { to } },
        { dataDir: '/nowhere', databaseUrl: undefined } as Config,
        () => {},
      ),
  ],
]
const wrong = [
  ['postgres://svc:sesa@me/x@db/svc', 'has a character in its user name or password'],
  ['postgres://svc:sesame/me@db/svc', 'has a character in its user name or password'],
  ['postgres://svc:sesame?1@db/svc', 'has a character in its user name or password'],
  ['postgres://svc:sesame%me@db/svc', 'has a character in its user name or password'],
  ['postgres://svc:sesame@a,b/svc', 'names several hosts'],
  ['mysql://svc:sesame@db/svc', 'must be a PostgreSQL address'],
  ['postgres://svc:sesame@db:port/svc', 'must be a PostgreSQL address'],
] as const

test.each(ways.flatMap(([way, give]) => wrong.map((row) => [way, ...row, give] as const)))(
  '%s %s is refused with the reason, and nothing of the password is repeated',
  async (way, address, says, give) => {
    const error = await give(address).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(String(error)).toContain(`${way} ${says}`)
    expect(String(error)).not.toMatch(/sesa|me@/)
  },
)

test.each(ways)('%s is read without the white space that people paste with it', async (_way, give) => {
  const error = await give(' postgres://svc:p%40ss@db/svc\u200b').then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(String(error)).not.toContain('must be')
})
