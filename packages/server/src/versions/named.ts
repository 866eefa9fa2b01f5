import type { Db } from '../db/open.ts'

/** The one version that a workspace, a blueprint's name and a number mean: whoever asks says what of it, and locks it. */
export const versionNamed = (db: Db, workspace: { id: string }, blueprint: string | null, version: string) =>
  db
    .selectFrom('blueprint_version')
    .innerJoin('blueprint', 'blueprint.id', 'blueprint_version.blueprint_id')
    .where('workspace_id', '=', workspace.id)
    .where('name', '=', blueprint)
    .where('version', '=', version)
