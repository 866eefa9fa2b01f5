/**
 * Vitest's global set-up for the store tests. It starts one PostgreSQL for the whole run, with a migrated database that
 * tests copy.
 */
import type { TestProject } from 'vitest/node'
import { accountTables } from '../src/people/accounts/auth.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { openPostgres } from '../src/platform/db/open.ts'
import { once, startPostgres, type TestPostgres } from './postgres.ts'

export interface Cluster extends Pick<TestPostgres, 'copying'> {
  /** The address of a database of the cluster, with the word `DATABASE` where the name of the database belongs. */
  address: string
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: Cluster
  }
}

/** The name of the migrated database. Each new database of a test is a copy of it. */
export const template = 'svc_test_template'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...cluster } = await prepare()
  project.provide('postgres', cluster)
  return stop
}

/** Starts the PostgreSQL of a test run, and makes the migrated database that tests copy. */
export async function prepare(): Promise<Cluster & { stop: () => Promise<void> }> {
  const cluster = await startPostgres()
  await once(cluster.url('postgres'), `drop database if exists ${template}`)
  await once(cluster.url('postgres'), `create database ${template}`)
  const store = openPostgres(cluster.url(template))
  await migrate(store, accountTables(store))
  await store.close()
  return { address: cluster.url('DATABASE'), copying: cluster.copying, stop: cluster.stop }
}
