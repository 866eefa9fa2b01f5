/**
 * Finds the secrets that a new version of a blueprint needs and that at least one version in use does not need. A
 * person types these secrets on the agent's machine, preferably before the update.
 */
import type { Manifest } from '@svc/blueprint'
import { newSecrets, type SecretSpec } from '@svc/protocol'
import { runningVersion } from '../../fleet/versions/agents.ts'
import type { Db } from '../../platform/db/open.ts'

/** The secrets that a new version asks for and that agents may not have yet. */
export interface SecretsToAsk {
  version: string
  /** The versions that the agents run now and that do not need all of these secrets. */
  than: string[]
  secrets: SecretSpec[]
}

/**
 * Finds the secrets that a version needs and that the agents may not have yet, because at least one of the versions
 * that they run now does not need them. `agents` are names. Undefined if there are no such secrets.
 */
export async function findSecretsToAsk(
  db: Db,
  workspace: { id: string },
  { blueprint, version }: { blueprint: string; version: string },
  agents: readonly string[],
): Promise<SecretsToAsk | undefined> {
  const wanted = new Set(agents)
  const rows = await db
    .selectFrom('agent')
    .select(['name', 'installed_version', 'reported_version', 'previous_version'])
    .where('workspace_id', '=', workspace.id)
    .where('blueprint', '=', blueprint)
    .execute()
  const running = new Set(rows.filter(({ name }) => wanted.has(name)).map(runningVersion))
  const manifests = await readManifests(db, workspace, blueprint)
  const asks = manifests.get(version)
  const others = [...manifests].filter(([each]) => each !== version && running.has(each))
  const secrets = newSecrets(
    asks,
    others.map(([, manifest]) => manifest),
  )
  const than = others.flatMap(([each, manifest]) => (newSecrets(asks, [manifest]).length > 0 ? [each] : []))
  return secrets.length === 0 ? undefined : { version, than, secrets }
}

async function readManifests(db: Db, workspace: { id: string }, blueprint: string): Promise<Map<string, Manifest>> {
  const rows = await db
    .selectFrom('blueprint_version')
    .innerJoin('blueprint', 'blueprint.id', 'blueprint_version.blueprint_id')
    .select(['version', 'manifest'])
    .where('workspace_id', '=', workspace.id)
    .where('name', '=', blueprint)
    .execute()
  return new Map(rows.map(({ version, manifest }) => [version, JSON.parse(manifest) as Manifest]))
}
