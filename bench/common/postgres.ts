/** Starts a new PostgreSQL that syncs every commit, with an empty database for a service. */
import pg from 'pg'
import { startPostgres } from '../../packages/server/testing/postgres.ts'

export interface Postgres {
  /** The address of the database. */
  url: string
  version: number
  pid: number | undefined
  stop: () => Promise<void>
}

/** Starts PostgreSQL with the database `bench`. `env` are further environment variables of PostgreSQL. */
export async function startDatabase(env: Readonly<Record<string, string>> = {}): Promise<Postgres> {
  const postgres = await startPostgres({ durable: true, env })
  const admin = new pg.Client({ connectionString: postgres.url('postgres') })
  await admin.connect()
  await admin.query('create database bench')
  const { version } = (await admin.query("select current_setting('server_version') as version")).rows[0]
  await admin.end()
  return { url: postgres.url('bench'), version: parseFloat(version), pid: postgres.pid, stop: postgres.stop }
}
