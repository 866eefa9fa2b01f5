/**
 * Makes a workspace in which tests can install agents: it is activated for the product `tasks`, and has functions that
 * upload blueprints and issue install codes.
 */

import { addProduct } from '../src/fleet/products/store.ts'
import { activate } from '../src/people/workspaces/store.ts'
import type { Store } from '../src/platform/db/open.ts'
import { issueCodes } from '../src/updates/installs/issue.ts'
import { type BundleOptions, uploaded } from './bundles.ts'
import { newTestWorkspace, type TestWorkspace } from './test-workspace.ts'

export interface InstallWorkspace extends TestWorkspace {
  /** The secret that the product `tasks` shares with the service. */
  secret: string
  upload: (made?: BundleOptions) => Promise<Uint8Array>
  /** As the admin, issues an install code; by default for version 1.0.0 of `mail`. */
  issue: (wanted?: { blueprint?: string; version?: string; agentName?: string }) => Promise<string>
}

/** Makes a workspace that is activated for the product `tasks`, and can upload blueprints and issue install codes. */
export async function installing(store: Store): Promise<InstallWorkspace> {
  const w = await newTestWorkspace(store)
  const { db } = store
  const { workspace, admin, clock } = w
  const added = await addProduct(
    { db, by: admin, now: clock.now() },
    { id: 'tasks', origin: 'https://tasks.example.org' },
  )
  if (!added.ok) throw new Error(added.message)
  await activate({ db, by: admin, now: clock.now() }, workspace.slug, 'tasks')
  return {
    ...w,
    secret: added.value.secret,
    upload: (made) => uploaded({ db, by: admin, now: clock.now() }, workspace, made),
    issue: async ({ blueprint = 'mail', version = '1.0.0', agentName } = {}) => {
      const issued = await issueCodes({ db, by: admin, now: clock.now() }, workspace, { blueprint, version, agentName })
      if (!issued.ok) throw new Error(issued.message)
      return issued.value[0].code
    },
  }
}
