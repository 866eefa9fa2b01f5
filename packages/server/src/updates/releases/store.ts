/**
 * The releases in the database: every node serves the row with the highest serial, and judges wishes for the runtime by
 * that release (D37).
 */
import { shown, type Verdict } from '@svc/protocol'
import { sql } from 'kysely'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { hasUnknownSigner, type RuntimeBuild, unknownSignerRemarks } from './build.ts'
import { judgeAdded, judgeFound } from './rules.ts'

/**
 * The facts about the served release that answers contain (2.7), and those that decide whether a runtime can take it.
 */
export interface ServedRelease {
  serial: number
  version: string
  sha256: string
  signed: boolean
}
interface Release extends ServedRelease {
  size: number
  addedAt: number
  addedBy: string
}
/**
 * A release after it was added. `signature` is `replaced` if the release was served already and now has another
 * signature.
 */
type AddedRelease = Release & { changed: boolean; signature: 'kept' | 'replaced' }

/** The number of newest releases whose files are kept; of older ones only the facts remain. */
const filesKept = 5

/** The served release as this transaction sees it; undefined when there is none. */
export const servedRelease = async (db: Db): Promise<ServedRelease | undefined> => (await newestReleases(db, 1))[0]

/** All releases, the served one first. */
export const listReleases = (db: Db): Promise<Release[]> => newestReleases(db)

/** The serial of the served release, 0 for none. It costs one lookup in the primary key. */
export async function servedSerial(db: Db): Promise<number> {
  const { serial } = await db
    .selectFrom('release')
    .select((eb) => eb.fn.max('serial').as('serial'))
    .executeTakeFirstOrThrow()
  return serial ?? 0
}

/** The files of the served release; undefined when no release is served. */
export async function servedFiles(
  db: Db,
): Promise<(ServedRelease & { file: Buffer; signature: Buffer | undefined }) | undefined> {
  const row = await db
    .selectFrom('release')
    .select(['serial', 'version', 'sha256', 'signature', 'file'])
    .orderBy('serial', 'desc')
    .executeTakeFirst()
  if (!row?.file) return undefined
  const { serial, version, sha256, signature, file } = row
  return {
    serial,
    version,
    sha256,
    signed: signature !== null,
    file: Buffer.from(file),
    signature: signature ? Buffer.from(signature) : undefined,
  }
}

/** Serves the build that a person names. With `older`, the person agrees to a version older than the served one. */
export function addRelease(
  db: Db,
  build: RuntimeBuild,
  { older, by, now }: { older: boolean; by: Actor; now: number },
): Promise<Verdict<AddedRelease, 'release_taken' | 'release_older'>> {
  return transaction(db, async (trx) => {
    const known = await lockAll(trx)
    const verdict = judgeAdded(build, known, older)
    const [served] = known
    if (verdict === 'served' && served) {
      const replaced = build.signature !== undefined && !(await hasSignature(trx, served, build.signature))
      if (!replaced) return { ok: true, value: { ...served, changed: false, signature: 'kept' } }
      // The release gets a new serial, by which nodes notice the change. It also ends the holds of runtimes that
      // refused the earlier signature (3.4).
      return {
        ok: true,
        value: { ...(await insert({ db: trx, by, now }, build, known)), changed: true, signature: 'replaced' },
      }
    }
    if (verdict === 'taken') return { ok: false, code: 'release_taken', message: takenSays(build) }
    if (verdict === 'older') {
      const message = `Release ${build.version} is older than ${served?.version}, which is served. With --older it is served anyway, and pending requests for ${served?.version} are dropped.`
      return { ok: false, code: 'release_older', message }
    }
    return {
      ok: true,
      value: { ...(await insert({ db: trx, by, now }, build, known)), changed: true, signature: 'kept' },
    }
  })
}

/**
 * Serves the build that a starting node found in its folder, if the rules allow it (rules.ts). `says` is the reason why
 * the build is not served. `remarks` are about runtimes that will not update themselves to the build.
 */
export function adoptRelease(
  db: Db,
  build: RuntimeBuild,
  { by, now }: { by: Actor; now: number },
): Promise<{ served: boolean; says: string | undefined; remarks: string[] }> {
  return transaction(db, async (trx) => {
    const known = await lockAll(trx)
    const before = await servedFiles(trx)
    const verdict = judgeFound(build, known, { alone: !isPostgres(trx), isStranger: hasUnknownSigner(build, before) })
    if (verdict === 'served') return { served: true, says: undefined, remarks: [] }
    if (verdict === 'add' || verdict === 'replace') {
      if (verdict === 'replace')
        await trx
          .deleteFrom('release')
          .where('serial', '=', known[0]?.serial ?? 0)
          .execute()
      await insert({ db: trx, by, now }, build, known)
      return { served: true, says: undefined, remarks: unknownSignerRemarks(build, before) }
    }
    return { served: false, remarks: [], says: verdict === 'taken' ? takenSays(build) : foundSays[verdict] }
  })
}

async function hasSignature(trx: Db, { serial }: ServedRelease, signature: Buffer): Promise<boolean> {
  const row = await trx.selectFrom('release').select('signature').where('serial', '=', serial).executeTakeFirst()
  return row?.signature != null && signature.equals(row.signature)
}

const takenSays = ({ version }: RuntimeBuild) =>
  `Release ${shown(version)} already exists with different bytes, and a release never changes: give this build a new version.`
const foundSays = {
  older: 'A release that is as new or newer exists. "svc-server release add DIR --older" serves this one.',
  unsigned: 'It is not signed, but the served release is. "svc-server release add DIR" serves it anyway.',
  stranger:
    'Runtimes of the served release do not know the key that signed it, and would refuse it. "svc-server release add DIR" serves it anyway.',
} as const

/**
 * Locks the table of releases, so that releases are added one after another, and reads all its rows. SQLite runs
 * transactions one after another anyway.
 */
async function lockAll(trx: Db): Promise<Release[]> {
  if (isPostgres(trx)) await sql`lock table release in share row exclusive mode`.execute(trx)
  return listReleases(trx)
}

async function insert(
  { db: trx, by, now }: ChangeContext,
  build: RuntimeBuild,
  known: readonly Release[],
): Promise<Release> {
  const { version, sha256, bytes, signature, signed } = build
  const serial = (known[0]?.serial ?? 0) + 1
  await trx
    .insertInto('release')
    .values({
      serial,
      version,
      sha256,
      size: bytes.length,
      added_at: now,
      added_by: by.id,
      added_by_name: by.name,
      signature: signature ?? null,
      file: bytes,
    })
    .execute()
  const kept = trx.selectFrom('release').select('serial').orderBy('serial', 'desc').limit(filesKept)
  await trx
    .updateTable('release')
    .set({ file: null })
    .where('file', 'is not', null)
    .where('serial', 'not in', kept)
    .execute()
  await audit(trx, {
    workspaceId: null,
    at: now,
    by,
    action: 'release.added',
    subject: `release ${version}`,
    details: { serial, sha256, signed },
  })
  return { serial, version, sha256, signed, size: bytes.length, addedAt: now, addedBy: by.name }
}

async function newestReleases(db: Db, limit?: number): Promise<Release[]> {
  const rows = await db
    .selectFrom('release')
    .select((eb) => [
      'serial',
      'version',
      'sha256',
      'size',
      'added_at',
      'added_by_name',
      eb('signature', 'is not', null).as('signed'),
    ])
    .orderBy('serial', 'desc')
    .$if(limit !== undefined, (q) => q.limit(limit ?? 0))
    .execute()
  return rows.map((row) => ({
    serial: row.serial,
    version: row.version,
    sha256: row.sha256,
    signed: Boolean(row.signed),
    size: row.size,
    addedAt: row.added_at,
    addedBy: row.added_by_name,
  }))
}
