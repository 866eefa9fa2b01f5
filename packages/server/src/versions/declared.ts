/** What the manifest of the version that an agent runs declares. */
import type { Manifest } from '@svc/blueprint'
import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

/**
 * Joins an agent `a` with the blueprint version `v` that it runs, as far as it said, else that was installed; for the report
 * path's own SQL.
 */
export const versionRun = `join blueprint b on b.workspace_id = a.workspace_id and b.name = a.blueprint
    join blueprint_version v on v.blueprint_id = b.id and v.version = coalesce(a.reported_version, a.installed_version)`

/** The manifest of the version that an agent runs; undefined for one connected by hand, and for a version that is not here. */
export async function manifestOf(db: Db, agent: { id: string }): Promise<Manifest | undefined> {
  const { rows } = await sql<{ manifest: string }>`
    select v.manifest from agent a ${sql.raw(versionRun)} where a.id = ${agent.id}`.execute(db)
  return rows[0] && (JSON.parse(rows[0].manifest) as Manifest)
}

/** 2.7: names of the logs that may be asked for without a report naming them. */
export const declaredLogs = (manifest: Manifest | undefined): string[] => (manifest?.logs ?? []).map(({ name }) => name)

/** The same from the manifest as it is stored. */
export const declaredLogsIn = (manifest: string): string[] => declaredLogs(JSON.parse(manifest) as Manifest)
