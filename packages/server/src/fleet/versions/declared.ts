/** Reads what an agent declares in its manifest: the manifest of the blueprint version that it runs. */
import { isLogPattern, type Manifest } from '@svc/blueprint'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'

/**
 * Part of a query: joins an agent `a` with the blueprint version `v` that it runs, which is the reported version, or
 * else the installed one.
 */
export const declaredVersionJoin = `join blueprint b on b.workspace_id = a.workspace_id and b.name = a.blueprint
    join blueprint_version v on v.blueprint_id = b.id and v.version = coalesce(a.reported_version, a.installed_version)`

/**
 * The manifest of the version that an agent runs; undefined for an agent connected by hand, and for a version that is
 * not stored here.
 */
export async function declaredManifest(db: Db, agent: { id: string }): Promise<Manifest | undefined> {
  const { rows } = await sql<{ manifest: string }>`
    select v.manifest from agent a ${sql.raw(declaredVersionJoin)} where a.id = ${agent.id}`.execute(db)
  return rows[0] && (JSON.parse(rows[0].manifest) as Manifest)
}

/**
 * The names of logs that may be requested although no report names them (2.7). A pattern for several logs, such as
 * `job/*`, is left out: reports name the existing logs.
 */
export const declaredLogs = (manifest: Manifest | undefined): string[] =>
  (manifest?.logs ?? []).filter((log) => !isLogPattern(log)).map(({ name }) => name)

/** The names of the logs that a manifest declares; the manifest is given as its stored JSON. */
export const declaredLogsIn = (manifest: string): string[] => declaredLogs(JSON.parse(manifest) as Manifest)
