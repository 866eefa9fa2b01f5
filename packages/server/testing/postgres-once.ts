/** Vitest's global set-up of the store tests: one PostgreSQL for the run, with a migrated database to copy. */
import type { TestProject } from 'vitest/node'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/open.ts'
import { accountTables } from '../src/people/auth.ts'
import { once, startPostgres, type TestPostgres } from './postgres.ts'

export interface Cluster extends Pick<TestPostgres, 'copying'> {
  /** The address of a database of the cluster, with `DATABASE` for its name. */
  address: string
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: Cluster
  }
}

/** The name of the migrated database that is copied for each new database of a test. */
export const template = 'svc_test_template'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...cluster } = await prepare()
  project.provide('postgres', cluster)
  return stop
}

/** Starts the PostgreSQL of a test run and makes the migrated database from which the databases of tests are copied. */
export async function prepare(): Promise<Cluster & { stop: () => Promise<void> }> {
  const cluster = await startPostgres()
  await once(cluster.url('postgres'), `drop database if exists ${template}`)
  await once(cluster.url('postgres'), `create database ${template}`)
  const store = openPostgres(cluster.url(template))
  await migrate(store, accountTables(store))
  await store.close()
  return { address: cluster.url('DATABASE'), copying: cluster.copying, stop: cluster.stop }
}
