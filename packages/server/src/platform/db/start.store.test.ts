/** Tests starts on a PostgreSQL that refuses them: each error is a sentence that says what mends it. */
import { createServer } from 'node:net'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { newPostgresDatabase } from '../../../testing/stores.ts'
import { accountTables } from '../../people/accounts/auth.ts'
import { StoreError } from './error.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './open.ts'

async function refusalOf(url: string): Promise<string> {
  const store = openPostgres(url)
  try {
    await migrate(store, accountTables(store))
    return 'started'
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError)
    return (error as Error).message
  } finally {
    await store.close()
  }
}

/** Runs a statement as the superuser of the cluster, in an empty database. */
async function prepared(...statements: string[]): Promise<{ url: string; database: string }> {
  const url = await newPostgresDatabase({ empty: true })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const database: string = (await client.query('select current_database() as name')).rows[0].name
  for (const statement of statements) await client.query(statement.replaceAll('DATABASE', database))
  await client.end()
  return { url, database }
}

test('a role that may not create tables gets the statement that mends it, and starts after it', async () => {
  const role = `guest_${process.pid}`
  const { url, database } = await prepared(
    `create role ${role}`,
    `grant all privileges on database DATABASE to ${role}`,
    `alter database DATABASE set role ${role}`,
  )
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('reset role')
  onTestFinished(async () => {
    await client.query(`set role none; drop owned by ${role}; revoke all on database ${database} from ${role}`)
    await client.query(`drop role ${role}`)
    await client.end()
  })
  const says = await refusalOf(url)
  expect(says).toContain(`the role ${role} must not create tables in the schema public`)
  const statement = /GRANT [^;]+;/.exec(says)?.[0] ?? ''
  expect(statement).toBe(`GRANT CREATE, USAGE ON SCHEMA public TO ${role};`)
  await client.query('set role none')
  await client.query(statement)
  expect(await refusalOf(url)).toBe('started')
})

test('a database that is read-only, missing, without TLS or behind a closed port is said', async () => {
  const readOnly = await prepared('alter database DATABASE set default_transaction_read_only = on')
  expect(await refusalOf(readOnly.url)).toContain('it is read-only')
  expect(await refusalOf(readOnly.url.replace(readOnly.database, 'nowhere'))).toContain('CREATE DATABASE')
  expect(await refusalOf('postgres://svc@127.0.0.1:1/svc')).toContain('nothing accepts connections there')
  const plain = createServer((socket) => socket.once('data', () => socket.end('N')))
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void plain.close())
  const { port } = plain.address() as { port: number }
  expect(await refusalOf(`postgres://svc@127.0.0.1:${port}/svc?sslmode=require`)).toContain('it has no TLS')
  expect(await refusalOf(`postgres://svc@127.0.0.1:${port}/svc?sslrootcert=/no/ca.pem`)).toContain('sslrootcert')
})
