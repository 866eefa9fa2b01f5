/**
 * The two install calls (4, rules 4 to 6). Preview only reads. Redeem is one transaction, which uses up the code and
 * creates the agent, its bots and their tokens. A refusal changes nothing, and the code stays valid (I12, I13).
 */
import { type Binding, isTooOld, type Manifest, type Need, neededSvc } from '@svc/blueprint'
import {
  type InstallPreview,
  isEnvName,
  isEnvValue,
  type NeedSpec,
  type RedeemedCode,
  type RefusalCode,
  refusals,
  type Verdict,
} from '@svc/protocol'
import { tagNewAgent } from '../../fleet/agents/tags.ts'
import { type GivenBot, giveBot, judgeBots } from '../../fleet/bots/store.ts'
import { audit } from '../../people/audit/store.ts'
import { checkRoomFor } from '../../people/workspaces/limits.ts'
import { isActivated, roleToAct } from '../../people/workspaces/store.ts'
import { isPostgres } from '../../platform/db/engine.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow, InstallCodeRow } from '../../platform/db/tables.ts'
import { decideInTransaction } from '../../platform/db/undo.ts'
import { newId } from '../../platform/ids.ts'
import { hashToken, newToken } from '../../platform/tokens.ts'
import { neededSvcOf } from '../wishes/needs.ts'
import { codeState, tagsIn } from './codes.ts'

type InstallRefusal = Extract<
  RefusalCode,
  | 'code_unknown'
  | 'workspace_inactive'
  | 'issuer_not_allowed'
  | 'product_inactive'
  | 'bots_too_many'
  | 'bot_role_differs'
  | 'agent_name_taken'
  | 'svc_too_old'
  | 'agents_too_many'
>

/**
 * Describes what an install code would install, as it was fixed when the code was issued. The code stays valid.
 */
export async function previewInstall(
  db: Db,
  code: string,
  now: number,
): Promise<Verdict<InstallPreview, InstallRefusal>> {
  const row = await liveCode(db, code, now)
  const version = row && (await describedBy(db, row))
  if (!row || !version) return refuse('code_unknown')
  const manifest = JSON.parse(version.manifest) as Manifest
  const needed = neededSvc(manifest)
  return {
    ok: true,
    value: {
      blueprint: row.blueprint,
      version: row.version,
      description: version.description,
      agentName: row.agent_name,
      runtime: manifest.runtime?.kind ?? 'process',
      secrets: manifest.secrets.map(({ name, purpose, optional }) => ({ name, purpose, optional })),
      bindings: bindingsOf(row),
      ...(manifest.needs && { needs: manifest.needs.map(needSpec) }),
      ...(needed && { svc: needed.version }),
      ...(manifest.settings.length > 0 && { settings: [...manifest.settings] }),
    },
  }
}

const needSpec = ({ name, min, version_args }: Need): NeedSpec => ({
  name,
  ...(min !== undefined && { min }),
  ...(version_args && { version_args: [...version_args] }),
})

interface InstalledAgent {
  workspaceId: string
  agentId: string
  /** The answer to the call that redeems a code, without its field `bundle`: the route adds the bundle as base64. */
  answer: Omit<RedeemedCode, 'bundle'>
  bundle: Uint8Array
}

/**
 * Redeems an install code, which is possible once (I12 to I16, D43). `svc` is the version of the calling svc, if known.
 * A svc that is too old for the manifest is refused here, because it would refuse the bundle only after the code was
 * used up.
 */
export async function redeemInstall(
  db: Db,
  code: string,
  now: number,
  svc?: string,
): Promise<Verdict<InstalledAgent, InstallRefusal>> {
  // Every text that is not a valid code ends in this refusal, after the same single query (I14, D45).
  const row = await liveCode(db, code, now)
  if (!row) return refuse('code_unknown')
  const old = await tooOldFor(db, row, svc)
  if (old) return old
  return decideInTransaction(db, (trx) => redeemInTransaction(trx, hashToken(code), now))
}

async function redeemInTransaction(
  trx: Db,
  hash: string,
  now: number,
): Promise<Verdict<InstalledAgent, InstallRefusal>> {
  const row = await lockCode(trx, hash)
  if (!row || codeState(row, now) !== 'live') return refuse('code_unknown')
  const workspace = { id: row.workspace_id }
  // `checkRoomFor` locks the workspace, so no other transaction can add bots to it at the same time.
  const room = await checkRoomFor(trx, workspace, { kind: 'agents' }, now)
  const bindings = bindingsOf(row)
  const origins = await readOrigins(trx, workspace, bindings)
  const forbidden = await whyForbidden(trx, row, bindings, origins)
  if (forbidden) return forbidden
  if (!room.ok) return room
  const bots = await judgeBots(trx, workspace, row.agent_name, bindings)
  if (!bots.ok) return bots
  const version = await bundleBy(trx, row)
  if (!version) return refuse('code_unknown')

  const token = newToken('agent')
  const agent = await createAgentFor(trx, row, hashToken(token), now)
  if (!agent) return refuse('agent_name_taken', `The workspace already has an agent ${row.agent_name}.`)
  await tagNewAgent(trx, agent, tagsIn(row))
  const given: GivenBot[] = []
  for (const binding of bindings) {
    given.push(await giveBot(trx, { agent, known: bots.value, name: row.agent_name }, binding, now))
  }
  await trx.updateTable('install_code').set({ redeemed_at: now, agent_id: agent.id }).where('id', '=', row.id).execute()
  await audit(trx, {
    workspaceId: row.workspace_id,
    at: now,
    by: { id: row.issued_by, name: row.issued_by_name },
    action: 'agent.installed',
    subject: `agent ${agent.name}`,
    details: {
      code: row.id,
      blueprint: row.blueprint,
      version: row.version,
      bots: given.map(({ product, role, made }) => ({ product, role, made })),
    },
  })
  const env = envOf(token, workspace.id, given, origins)
  const { blueprint, sha256 } = row
  const answer = { agent: { name: agent.name }, blueprint, version: row.version, env, sha256 }
  return { ok: true, value: { workspaceId: workspace.id, agentId: agent.id, answer, bundle: version.bundle } }
}

async function tooOldFor(db: Db, row: InstallCodeRow, svc: string | undefined) {
  const version = await describedBy(db, row)
  const needed = version && neededSvcOf(version.manifest)
  if (!needed || !isTooOld(svc, needed)) return undefined
  const { blueprint, version: number } = row
  return refuse(
    'svc_too_old',
    `${blueprint} ${number} needs svc ${needed.version} or newer, and this is ${svc}. Install the newer svc. The code is still valid.`,
  )
}

async function liveCode(db: Db, code: string, now: number): Promise<InstallCodeRow | undefined> {
  const row = await db.selectFrom('install_code').selectAll().where('hash', '=', hashToken(code)).executeTakeFirst()
  return row && codeState(row, now) === 'live' ? row : undefined
}

/**
 * Locks the row of an install code, so that the second of two calls that redeem it finds it used. SQLite needs no lock,
 * since it has one writer.
 */
function lockCode(trx: Db, hash: string): Promise<InstallCodeRow | undefined> {
  const row = trx.selectFrom('install_code').selectAll().where('hash', '=', hash)
  return (isPostgres(trx) ? row.forUpdate() : row).executeTakeFirst()
}

/**
 * Refuses with 403 to redeem an install code (7) if the workspace, its products or the issuer's role no longer permit
 * it.
 */
async function whyForbidden(
  trx: Db,
  row: InstallCodeRow,
  bindings: readonly Binding[],
  origins: ReadonlyMap<string, string>,
) {
  if (!(await isActivated(trx, row.workspace_id))) return refuse('workspace_inactive')
  if (row.issued_by !== null && (await roleToAct(trx, row.workspace_id, row.issued_by)) !== 'admin') {
    return refuse('issuer_not_allowed', `${row.issued_by_name}, who issued the code, may no longer install agents.`)
  }
  const missing = bindings.find(({ product }) => !origins.has(product))
  return missing && refuse('product_inactive', `The product ${missing.product} is not activated for the workspace.`)
}

/**
 * Inserts the agent; undefined if the workspace already has an agent of that name. The unique key prevents a second
 * agent (I15).
 */
const createAgentFor = (trx: Db, row: InstallCodeRow, tokenHash: string, now: number): Promise<AgentRow | undefined> =>
  trx
    .insertInto('agent')
    .values({
      id: newId(now),
      workspace_id: row.workspace_id,
      name: row.agent_name,
      token_hash: tokenHash,
      created_at: now,
      created_by: row.issued_by_name,
      blueprint: row.blueprint,
      installed_version: row.version,
    })
    .onConflict((oc) => oc.columns(['workspace_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()

const describedBy = (db: Db, { version_id }: InstallCodeRow) =>
  db
    .selectFrom('blueprint_version')
    .select(['description', 'manifest'])
    .where('id', '=', version_id ?? '')
    .executeTakeFirst()

const bundleBy = (db: Db, { version_id }: InstallCodeRow) =>
  db
    .selectFrom('blueprint_version')
    .select('bundle')
    .where('id', '=', version_id ?? '')
    .executeTakeFirst()

/** Returns the addresses, by product id, of those products of the bindings that are activated for the workspace. */
async function readOrigins(
  db: Db,
  workspace: { id: string },
  bindings: readonly Binding[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('product')
    .innerJoin('workspace_product', 'product_id', 'product.id')
    .select(['product.id', 'origin'])
    .where('workspace_id', '=', workspace.id)
    .execute()
  const bound = new Set(bindings.map(({ product }) => product))
  return new Map(rows.filter(({ id }) => bound.has(id)).map(({ id, origin }) => [id, origin]))
}

const bindingsOf = ({ bindings }: InstallCodeRow): Binding[] => JSON.parse(bindings) as Binding[]

const refuse = (code: InstallRefusal, message: string = refusals[code][1]) => ({ ok: false, code, message }) as const

/**
 * Returns the environment variables for the file `.svc/agent.env` of a new agent (2.9, D51): its token, and the
 * address, workspace and token of each bot. `SVC_URL` is not among them, because the runtime writes the address that it
 * was given.
 */
function envOf(
  token: string,
  workspaceId: string,
  given: readonly Pick<GivenBot, 'product' | 'token'>[],
  origins: ReadonlyMap<string, string>,
): Record<string, string> {
  const env: Record<string, string> = { SVC_TOKEN: token }
  for (const bot of given) {
    const name = `SVC_BINDING_${bot.product.toUpperCase()}`
    env[`${name}_URL`] = origins.get(bot.product) ?? ''
    env[`${name}_WORKSPACE`] = workspaceId
    env[`${name}_TOKEN`] = bot.token
  }
  for (const [name, value] of Object.entries(env)) {
    if (!isEnvName(name) || !isEnvValue(value) || value === '') throw new Error(`The variable ${name} is not whole.`)
  }
  return env
}
