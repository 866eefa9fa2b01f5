/**
 * Vitest's global set-up for tests that open many stores. It makes one migrated SQLite database that the tests copy.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { accountTables } from '../src/people/accounts/auth.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { openEmbedded } from '../src/platform/db/open.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of a migrated SQLite database. No process has it open, so tests can copy it. */
    sqliteTemplate: string
  }
}

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-db-'))
  project.provide('sqliteTemplate', await writeTemplate(folder))
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Writes a migrated database into the folder and returns its path. */
export async function writeTemplate(folder: string): Promise<string> {
  const file = join(folder, 'template.db')
  const store = openEmbedded(file)
  await migrate(store, accountTables(store))
  await store.close()
  return file
}
