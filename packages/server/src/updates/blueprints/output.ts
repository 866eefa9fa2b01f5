/**
 * Finds the log into which the output of an agent goes, by its blueprint's manifest. Without such a log, the output
 * stays in a file of the runtime that never leaves the machine (3.6).
 */
import type { Manifest } from '@svc/blueprint'
import type { Db } from '../../platform/db/open.ts'

/**
 * Maps the given versions of a blueprint to the names of their logs with the output. Versions without one are missing.
 */
export async function outputLogNames(
  db: Db,
  workspace: { id: string },
  blueprint: string | null,
  versions: readonly string[],
): Promise<Map<string, string>> {
  if (blueprint === null || versions.length === 0) return new Map()
  const rows = await db
    .selectFrom('blueprint_version')
    .innerJoin('blueprint', 'blueprint.id', 'blueprint_version.blueprint_id')
    .select(['version', 'manifest'])
    .where('workspace_id', '=', workspace.id)
    .where('name', '=', blueprint)
    .where('version', 'in', versions)
    .execute()
  return new Map(
    rows.flatMap(({ version, manifest }) => {
      const name = (JSON.parse(manifest) as Partial<Manifest>).logs?.find(({ output }) => output === true)?.name
      return name === undefined ? [] : [[version, name] as const]
    }),
  )
}
