/** A workspace that is ready to install: a product that it is activated for, and codes as somebody would issue them. */
import type { Store } from '../src/db/open.ts'
import { issueCode } from '../src/installs/codes.ts'
import { addProduct } from '../src/products/store.ts'
import { activate } from '../src/workspaces/store.ts'
import { type Made, uploaded } from './bundles.ts'
import { type World, world } from './world.ts'

export interface Installing extends World {
  /** The secret of the product `tasks`. */
  secret: string
  upload: (made?: Made) => Promise<Uint8Array>
  /** A code for a version of `mail`, issued by the admin. */
  issue: (wanted?: { blueprint?: string; version?: string; agentName?: string }) => Promise<string>
}

export async function installing(store: Store): Promise<Installing> {
  const w = await world(store)
  const { db } = store
  const { workspace, admin, clock } = w
  const added = await addProduct(db, { id: 'tasks', origin: 'https://tasks.example.org' }, admin, clock.now())
  if (!added.ok) throw new Error(added.message)
  await activate(db, workspace.slug, 'tasks', admin, clock.now())
  return {
    ...w,
    secret: added.value.secret,
    upload: (made) => uploaded(db, workspace, admin, clock.now(), made),
    issue: async ({ blueprint = 'mail', version = '1.0.0', agentName } = {}) => {
      const issued = await issueCode(db, workspace, { blueprint, version, agentName }, admin, clock.now())
      if (!issued.ok) throw new Error(issued.message)
      return issued.value.code
    },
  }
}
