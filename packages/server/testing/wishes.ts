/**
 * Helpers for tests: add blueprint versions and releases as rows with placeholders for their bytes, and turn agents
 * into agents of a blueprint.
 */

import { newId } from '../src/platform/ids.ts'
import type { TestWorkspace } from './test-workspace.ts'

/** The parts of a test's workspace that these functions need. */
type TestPart = Pick<TestWorkspace, 'store' | 'clock'> & { workspace: { id: string } }

export async function addVersion(w: TestPart, blueprint: string, version: string): Promise<void> {
  const { db } = w.store
  const known = await db.selectFrom('blueprint').select('id').where('name', '=', blueprint).executeTakeFirst()
  const id = known?.id ?? newId(w.clock.now())
  const made = { id, workspace_id: w.workspace.id, name: blueprint, created_at: w.clock.now() }
  if (!known) await db.insertInto('blueprint').values(made).execute()
  await db
    .insertInto('blueprint_version')
    .values({
      id: newId(w.clock.now()),
      blueprint_id: id,
      version,
      description: '',
      sha256: 'a'.repeat(64),
      size: 5,
      uploaded_at: w.clock.now(),
      uploaded_by: null,
      uploaded_by_name: 'Ada',
      manifest: '{}',
      files: '[]',
      bundle: Buffer.from('bytes'),
    })
    .execute()
}

/** Turns an agent into an agent of this blueprint, as if it had been installed with an install code. */
export async function ofBlueprint(
  w: TestPart,
  agent: { id: string },
  blueprint: string,
  version: string,
): Promise<void> {
  const known = await w.store.db
    .selectFrom('blueprint_version')
    .innerJoin('blueprint', 'blueprint.id', 'blueprint_version.blueprint_id')
    .select('version')
    .where('name', '=', blueprint)
    .where('version', '=', version)
    .executeTakeFirst()
  if (!known) await addVersion(w, blueprint, version)
  const set = { blueprint, installed_version: version }
  await w.store.db.updateTable('agent').set(set).where('id', '=', agent.id).execute()
}

/** Adds a release with placeholders for its bytes. The service then serves this release. */
export async function serveRelease(
  w: Pick<TestWorkspace, 'store' | 'clock'>,
  version: string,
  signed = true,
): Promise<void> {
  const { serial } = await w.store.db
    .selectFrom('release')
    .select((eb) => eb.fn.max('serial').as('serial'))
    .executeTakeFirstOrThrow()
  await w.store.db
    .insertInto('release')
    .values({
      serial: (serial ?? 0) + 1,
      version,
      sha256: 'b'.repeat(64),
      size: 5,
      added_at: w.clock.now(),
      added_by: null,
      added_by_name: 'operator',
      signature: signed ? Buffer.from('signature') : null,
      file: Buffer.from('bytes'),
    })
    .execute()
}
