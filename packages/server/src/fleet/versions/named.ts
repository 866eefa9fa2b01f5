import type { Db } from '../../platform/db/open.ts'

/**
 * A query for one version by workspace, blueprint name and version number. The caller adds the columns and any lock.
 */
export const versionNamed = (db: Db, workspace: { id: string }, blueprint: string | null, version: string) =>
  db
    .selectFrom('blueprint_version')
    .innerJoin('blueprint', 'blueprint.id', 'blueprint_version.blueprint_id')
    .where('workspace_id', '=', workspace.id)
    .where('name', '=', blueprint)
    .where('version', '=', version)
