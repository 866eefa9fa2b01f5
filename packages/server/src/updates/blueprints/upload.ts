/**
 * Uploads a version of a blueprint (2.10, D48). The bundle is judged by the same function as on the agent's machine.
 */
import type { BundleFinding } from '@svc/blueprint'
import { compareVersions, type Verdict } from '@svc/protocol'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { checkRoomFor } from '../../people/workspaces/limits.ts'
import type { Db } from '../../platform/db/open.ts'
import type { RunInTransaction } from '../../platform/db/transaction.ts'
import { decideInTransaction } from '../../platform/db/undo.ts'
import { newId } from '../../platform/ids.ts'
import { judgeBundle } from './judge.ts'
import type { ArrivedBundle } from './uploads.ts'

interface UploadedVersion {
  blueprint: string
  version: string
  sha256: string
  size: number
  /** The range of svc versions that can run the bundle; missing if every version can. */
  neededSvc?: string
  /** A sentence about something in the bundle that is allowed and probably a mistake. */
  note?: string
}
type Upload =
  | Verdict<UploadedVersion, 'version_taken' | 'bundles_too_many'>
  | { ok: false; code: 'bundle_refused'; message: string; findings: readonly BundleFinding[] }

/**
 * Stores a bundle as a new version of the blueprint that the bundle's manifest names. The first version of a blueprint
 * also creates the blueprint.
 */
export async function uploadBlueprint(
  { db, by, now }: ChangeContext<Actor, Db | RunInTransaction>,
  workspace: { id: string },
  bundle: Uint8Array | ArrivedBundle,
): Promise<Upload> {
  const judged = await judgeBundle(bundle)
  if (!judged.ok) return { ok: false, code: 'bundle_refused', message: judged.message, findings: judged.findings }
  const { name, version, description, sha256, manifest, files, bytes, neededSvc, note } = judged.value
  return decideInTransaction(db, async (trx): Promise<Upload> => {
    const room = await checkRoomFor(trx, workspace, { kind: 'bundles', more: bytes.length }, now)
    const blueprint = await takeBlueprint(trx, workspace.id, name, now)
    const taken = await wrongVersion(trx, blueprint.id, { name, version, sha256 })
    if (taken) return taken
    if (!room.ok) return room
    await trx
      .insertInto('blueprint_version')
      .values({
        id: newId(now),
        blueprint_id: blueprint.id,
        version,
        description,
        sha256,
        size: bytes.length,
        uploaded_at: now,
        uploaded_by: by.id,
        uploaded_by_name: by.name,
        manifest,
        files,
        bundle: bytes,
      })
      .execute()
    await audit(trx, {
      workspaceId: workspace.id,
      at: now,
      by,
      action: 'blueprint.uploaded',
      subject: `blueprint ${name}@${version}`,
      details: { sha256, size: bytes.length },
    })
    const more = { ...(neededSvc && { neededSvc }), ...(note && { note }) }
    return { ok: true, value: { blueprint: name, version, sha256, size: bytes.length, ...more } }
  })
}

/** Creates or finds the blueprint's row and locks it, so that uploads for one blueprint run one after another. */
const takeBlueprint = (trx: Db, workspaceId: string, name: string, now: number): Promise<{ id: string }> =>
  trx
    .insertInto('blueprint')
    .values({ id: newId(now), workspace_id: workspaceId, name, created_at: now })
    .onConflict((oc) => oc.columns(['workspace_id', 'name']).doUpdateSet({ name }))
    .returning('id')
    .executeTakeFirstOrThrow()

/** Refuses a version that the blueprint already has, and one that ranks the same as one of its versions (D48). */
async function wrongVersion(
  trx: Db,
  blueprintId: string,
  { name, version, sha256 }: { name: string; version: string; sha256: string },
) {
  const rows = await trx
    .selectFrom('blueprint_version')
    .select(['version', 'sha256'])
    .where('blueprint_id', '=', blueprintId)
    .execute()
  const same = rows.find((row) => row.version === version)
  if (same) {
    const how = same.sha256 === sha256 ? 'with the same bytes' : 'with other content, and a version never changes'
    return refuseVersion(`${name} ${version} already exists, ${how}: raise the version to upload another one.`)
  }
  const equal = rows.find((row) => compareVersions(row.version, version) === 0)
  if (equal) {
    return refuseVersion(
      `${name} has version ${equal.version}, which ranks the same as ${version}: the part after "+" does not count. Raise the version.`,
    )
  }
  return undefined
}

const refuseVersion = (message: string) => ({ ok: false, code: 'version_taken', message }) as const
