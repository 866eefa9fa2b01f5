/**
 * Products: other services that recognise the bots of this service by tokens that this service issues. `svc` is this
 * service itself and always exists.
 */
import { randomBytes } from 'node:crypto'
import type { WorkspaceProduct } from '@svc/api'
import { isProductId, shown, type Verdict } from '@svc/protocol'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { ownProduct } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { hashToken } from '../../platform/tokens.ts'
import { refuse } from '../../platform/verdict.ts'

interface ProductInfo {
  id: string
  origin: string
  createdAt: number
}
type ProductRefusal = 'product_invalid' | 'product_taken' | 'product_unknown' | 'origin_invalid'

/** Adds a product. Returns the secret with which the product asks about tokens; it is shown only this once. */
export function addProduct(
  { db, by, now }: ChangeContext,
  { id, origin }: { id: string; origin: string },
): Promise<Verdict<{ product: ProductInfo; secret: string }, ProductRefusal>> {
  return transaction(db, async (trx) => {
    const at = originOf(origin)
    if (!isProductId(id) || id === ownProduct) return wrongId(id)
    if (at === undefined) return wrongOrigin(origin)
    const secret = randomBytes(32).toString('base64url')
    const made = await trx
      .insertInto('product')
      .values({ id, origin: at, secret_hash: hashToken(secret), created_at: now })
      .onConflict((oc) => oc.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!made) return refuse('product_taken', `There is already a product ${shown(id)}.`)
    const note = { workspaceId: null, at: now, by, action: 'product.added', subject: `product ${id}` }
    await audit(trx, { ...note, details: { origin: at } })
    return { ok: true, value: { product: { id, origin: at, createdAt: now }, secret } }
  })
}

export async function listProducts(db: Db): Promise<ProductInfo[]> {
  const rows = await db.selectFrom('product').select(['id', 'origin', 'created_at']).orderBy('id').execute()
  return rows.map(({ id, origin, created_at }) => ({ id, origin, createdAt: created_at }))
}

/**
 * All products, each with whether the workspace is activated for it, and the number of the workspace's bots in the
 * product.
 */
export async function readProducts(db: Db, workspace: { id: string }): Promise<WorkspaceProduct[]> {
  const rows = await db
    .selectFrom('product')
    .leftJoin('workspace_product', (join) =>
      join.onRef('product_id', '=', 'product.id').on('workspace_id', '=', workspace.id),
    )
    .select((eb) => [
      'product.id',
      'origin',
      'activated_at',
      eb
        .selectFrom('bot')
        .select((e) => e.fn.countAll<number>().as('n'))
        .whereRef('bot.product_id', '=', 'product.id')
        .where('bot.workspace_id', '=', workspace.id)
        .as('bots'),
    ])
    .orderBy('product.id')
    .execute()
  return rows.map(({ id, origin, activated_at, bots }) => ({
    id,
    origin,
    activatedAt: activated_at,
    bots: Number(bots),
  }))
}

/** Removes a product, its activations, and its bots with their tokens. */
export function removeProduct({ db, by, now }: ChangeContext, id: string): Promise<Verdict<null, ProductRefusal>> {
  return transaction(db, async (trx) => {
    const deleted = await trx.deleteFrom('product').where('id', '=', id).returning('id').executeTakeFirst()
    if (!deleted) return refuse('product_unknown', `There is no product ${shown(id)}.`)
    await trx.deleteFrom('workspace_product').where('product_id', '=', id).execute()
    await audit(trx, { workspaceId: null, at: now, by, action: 'product.removed', subject: `product ${id}` })
    return { ok: true, value: null }
  })
}

function originOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  return url.pathname === '/' && !/[?#]/.test(text) ? url.origin : undefined
}

const wrongId = (id: string) =>
  refuse(
    'product_invalid',
    `A product's id begins with a lowercase letter and has lowercase letters, digits and underscores; "${ownProduct}" is this service: got ${shown(id)}.`,
  )
const wrongOrigin = (origin: string) =>
  refuse('origin_invalid', `An origin looks like https://tasks.example.org, without a path: got ${shown(origin)}.`)
