/** Reads blueprints and their versions for pages and the operator, and deletes versions that are not in use. */
import type { BlueprintPage, BlueprintRow, BlueprintVersion, BlueprintVersionRow } from '@svc/api'
import { type Manifest, neededSvcText } from '@svc/blueprint'
import { compareVersions, shown, type Verdict } from '@svc/protocol'
import { agentsOfBlueprint, keptVersions, runningVersion } from '../../fleet/versions/agents.ts'
import { versionCounts } from '../../fleet/versions/days.ts'
import { versionNamed } from '../../fleet/versions/named.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { transaction } from '../../platform/db/transaction.ts'
import type { WorkspaceRef } from '../../platform/ids.ts'
import { refuse } from '../../platform/verdict.ts'
import { codeMs } from '../installs/codes.ts'
import { isRollingOut } from '../rollouts/store.ts'
import { neededSvcOf } from '../wishes/needs.ts'
import { wishStateOf } from '../wishes/state.ts'

/** Lists the blueprints of a workspace in the order of their names. */
export async function listBlueprints(db: Db, workspace: WorkspaceRef): Promise<BlueprintRow[]> {
  const rows = await db
    .selectFrom('blueprint')
    .innerJoin('blueprint_version', 'blueprint_version.blueprint_id', 'blueprint.id')
    .select(['name', 'version', 'description', 'uploaded_at', 'uploaded_by_name'])
    .where('workspace_id', '=', workspace.id)
    .orderBy('name')
    .execute()
  const running = await versionCounts(db, workspace.id)
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, versions]) => {
    const own = running.filter(({ blueprint }) => blueprint === name)
    const latest = versions.reduce((a, b) => (compareVersions(b.version, a.version) > 0 ? b : a))
    const last = versions.reduce((a, b) => (b.uploaded_at > a.uploaded_at ? b : a))
    return {
      name,
      latest: latest.version,
      description: latest.description,
      versions: versions.length,
      uploadedAt: last.uploaded_at,
      uploadedBy: last.uploaded_by_name,
      agents: own.reduce((sum, { agents }) => sum + agents, 0),
      running: own.map(({ version, agents }) => ({ version, agents })),
    }
  })
}

/**
 * One blueprint with its versions, the highest version first, and its agents; undefined if there is no blueprint with
 * that name.
 */
export async function blueprintPage(
  db: Db,
  workspace: WorkspaceRef,
  name: string,
  now: number,
): Promise<Omit<BlueprintPage, 'canAct'> | undefined> {
  const blueprint = await findBlueprint(db, workspace, name)
  if (!blueprint) return undefined
  const agents = await agentsOfBlueprint(db, workspace.id, name)
  return {
    now,
    name,
    createdAt: blueprint.created_at,
    versions: await versionRows(db, { id: blueprint.id }, agents, now),
    agents: agents.map((agent) => ({
      name: agent.name,
      running: runningVersion(agent) ?? '',
      previous: agent.previous_version,
      wished: agent.wished_version,
      wishState: wishStateOf(agent),
      level: agent.level,
      seenAt: agent.received_at,
    })),
  }
}

/** One version of a blueprint with its manifest and files; undefined if the version does not exist. */
export async function versionPage(
  db: Db,
  workspace: WorkspaceRef,
  { name, version }: { name: string; version: string },
  now: number,
): Promise<Omit<BlueprintVersion, 'canAct'> | undefined> {
  const blueprint = await findBlueprint(db, workspace, name)
  if (!blueprint) return undefined
  const [row] = await versionRows(
    db,
    { id: blueprint.id, version },
    await agentsOfBlueprint(db, workspace.id, name),
    now,
  )
  const more = await db
    .selectFrom('blueprint_version')
    .select(['manifest', 'files'])
    .where('blueprint_id', '=', blueprint.id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (!row || !more) return undefined
  const manifest = JSON.parse(more.manifest) as Manifest
  return { ...row, now, blueprint: name, manifest, files: JSON.parse(more.files) as BlueprintVersion['files'] }
}

/** The bundle of a blueprint's version as it was uploaded, with its checksum. */
export const findBundle = (
  db: Db,
  workspace: WorkspaceRef,
  name: string,
  version: string,
): Promise<{ bundle: Uint8Array; sha256: string } | undefined> =>
  versionNamed(db, workspace, name, version).select(['bundle', 'sha256']).executeTakeFirst()

/** The size and checksum of a version's bundle, without loading its bytes. */
export const bundleFacts = (
  db: Db,
  workspace: WorkspaceRef,
  name: string,
  version: string,
): Promise<{ id: string; size: number; sha256: string } | undefined> =>
  versionNamed(db, workspace, name, version).select(['blueprint_version.id', 'size', 'sha256']).executeTakeFirst()

export async function bundleBytes(db: Db, id: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('blueprint_version').select('bundle').where('id', '=', id).executeTakeFirst()
  return row?.bundle
}

/**
 * Deletes a version; with the last version of a blueprint, the blueprint is deleted, too. Refused while an agent runs
 * the version, keeps it as its previous version or is wished to run it, and while the version has an unfinished rollout
 * or a valid install code.
 */
export function deleteVersion(
  { db, by, now }: ChangeContext,
  workspace: WorkspaceRef,
  { name, version }: { name: string; version: string },
): Promise<Verdict<null, 'version_unknown' | 'version_in_use'>> {
  return transaction(db, async (trx) => {
    const row = await lockVersion(trx, workspace, name, version)
    if (!row) return refuse('version_unknown', `There is no blueprint ${shown(name)} with version ${shown(version)}.`)
    const agents = await agentsOfBlueprint(trx, workspace.id, name)
    const users = agents.filter((agent) => keptVersions(agent).includes(version))
    if (users.length > 0)
      return refuse(
        'version_in_use',
        inUseBy(
          name,
          version,
          users.map((agent) => agent.name),
        ),
      )
    const wished = agents.filter(({ wished_version }) => wished_version === version)
    if (wished.length > 0) return refuse('version_in_use', wishedFor(name, version, wished))
    if (await isRollingOut(trx, workspace, name, version))
      return refuse('version_in_use', `A rollout of ${name} ${version} has not ended: cancel it first.`)
    const { codes } = await liveCodes(trx, row.id, now)
    if (codes > 0)
      return refuse('version_in_use', `An install code for ${name} ${version} is still open: revoke it first.`)
    await trx.deleteFrom('blueprint_version').where('id', '=', row.id).execute()
    await trx
      .deleteFrom('blueprint')
      .where('id', '=', row.blueprint_id)
      .where((eb) =>
        eb.not(eb.exists(eb.selectFrom('blueprint_version').select('id').where('blueprint_id', '=', row.blueprint_id))),
      )
      .execute()
    const note = { workspaceId: workspace.id, at: now, by, subject: `blueprint ${name}@${version}` }
    await audit(trx, { ...note, action: 'blueprint.deleted', details: { sha256: row.sha256 } })
    return { ok: true, value: null }
  })
}

const findBlueprint = (db: Db, workspace: WorkspaceRef, name: string) =>
  db
    .selectFrom('blueprint')
    .selectAll()
    .where('workspace_id', '=', workspace.id)
    .where('name', '=', name)
    .executeTakeFirst()

async function versionRows(
  db: Db,
  { id, version }: { id: string; version?: string },
  agents: Awaited<ReturnType<typeof agentsOfBlueprint>>,
  now: number,
): Promise<BlueprintVersionRow[]> {
  let query = db
    .selectFrom('blueprint_version')
    .select(['id', 'version', 'description', 'size', 'sha256', 'uploaded_at', 'uploaded_by_name', 'manifest'])
    .where('blueprint_id', '=', id)
  if (version !== undefined) query = query.where('version', '=', version)
  const rows = await query.execute()
  const codes = await db
    .selectFrom('install_code')
    .select((eb) => ['version_id', eb.fn.countAll<number>().as('count')])
    .where('version_id', 'in', rows.length > 0 ? rows.map(({ id }) => id) : [''])
    .where('redeemed_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where(isAheadSql('expires_at', now, codeMs))
    .groupBy('version_id')
    .execute()
  return rows
    .sort((a, b) => compareVersions(b.version, a.version))
    .map((row) => ({
      version: row.version,
      description: row.description,
      size: row.size,
      sha256: row.sha256,
      uploadedAt: row.uploaded_at,
      uploadedBy: row.uploaded_by_name,
      runtime: (JSON.parse(row.manifest) as Manifest).runtime?.kind ?? 'process',
      neededSvc: neededText(row.manifest),
      runs: agents.filter((agent) => runningVersion(agent) === row.version).map(({ name }) => name),
      keeps: agents
        .filter((agent) => agent.previous_version === row.version && runningVersion(agent) !== row.version)
        .map(({ name }) => name),
      wished: agents.filter(({ wished_version }) => wished_version === row.version).map(({ name }) => name),
      codes: Number(codes.find(({ version_id }) => version_id === row.id)?.count ?? 0),
    }))
}

/**
 * Locks the row of a version, so that no install code is issued or redeemed for it meanwhile. SQLite needs no lock,
 * since it has one writer.
 */
function lockVersion(trx: Db, workspace: WorkspaceRef, name: string, version: string) {
  const row = versionNamed(trx, workspace, name, version).select(['blueprint_version.id', 'blueprint_id', 'sha256'])
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}

async function liveCodes(trx: Db, versionId: string, now: number): Promise<{ codes: number }> {
  const { codes } = await trx
    .selectFrom('install_code')
    .select((eb) => eb.fn.countAll<number>().as('codes'))
    .where('version_id', '=', versionId)
    .where('redeemed_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where(isAheadSql('expires_at', now, codeMs))
    .executeTakeFirstOrThrow()
  return { codes: Number(codes) }
}

function inUseBy(name: string, version: string, agents: string[]): string {
  const [first, ...more] = agents
  const who = more.length === 0 ? `The agent ${first}` : `The agent ${first} and ${more.length} more`
  return `${who} ${more.length === 0 ? 'runs or keeps' : 'run or keep'} ${name} ${version}: a version can be deleted only when no agent runs or keeps it.`
}

function wishedFor(name: string, version: string, agents: readonly { name: string }[]): string {
  const more = agents.length === 1 ? '' : ` and ${agents.length - 1} more`
  return `${name} ${version} is requested for the agent ${agents[0]?.name}${more}: request another version or cancel the request first.`
}

function neededText(manifest: string): string | null {
  const needed = neededSvcOf(manifest)
  return needed ? neededSvcText(needed) : null
}
