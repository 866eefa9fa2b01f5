/**
 * Install codes (2.9; 5, rule 5): each is valid once, for fifteen minutes. Issuing one fixes what it installs (D43) and
 * reserves nothing. Only the hash of a code is stored.
 */
import type { InstallCode, InstallCodeState } from '@svc/api'
import { changedTags } from '@svc/api/filter'
import { type Binding, type Manifest, neededSvcText } from '@svc/blueprint'
import { freeNames, isAgentName, isAhead, limits, shown, type Verdict } from '@svc/protocol'
import { sql } from 'kysely'
import { findAgent } from '../../fleet/agents/store.ts'
import { judgeBots } from '../../fleet/bots/store.ts'
import { versionNamed } from '../../fleet/versions/named.ts'
import type { By, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import { isActivated, ownProduct } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { InstallCodeRow } from '../../platform/db/tables.ts'
import { liesAhead } from '../../platform/db/times.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId, type WorkspaceRef } from '../../platform/ids.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { hashToken, newToken } from '../../platform/tokens.ts'
import { refuse } from '../../platform/verdict.ts'
import { neededSvcOf } from '../wishes/needs.ts'

/** How long an install code is valid, in milliseconds. */
export const codeMs = limits.installCodeSeconds * 1000

interface CodeWanted {
  blueprint: string
  version: string
  /** The name of the agent to install. By default it is the blueprint's name, with a number if that is taken. */
  agentName?: string | undefined
  /** The tags that the agent gets. */
  tags?: readonly string[] | undefined
}
type IssuedCode = {
  row: InstallCodeRow
  /** The install code, which is shown only this once. */
  code: string
  /** The reasons why installing with the code would fail at present, or may fail on some machines. */
  warnings: string[]
}

/** Issues an install code for one version of a blueprint. */
export function issueCode(
  { db, by, now }: ChangeContext,
  workspace: WorkspaceRef,
  wanted: CodeWanted,
): Promise<Verdict<IssuedCode, 'version_unknown' | 'agent_name_invalid' | 'codes_too_many'>> {
  return transaction(db, async (trx) => {
    const version = await versionOf(trx, workspace, wanted)
    if (!version) {
      return refuse(
        'version_unknown',
        `There is no blueprint ${shown(wanted.blueprint)} with version ${shown(wanted.version)}.`,
      )
    }
    const agentName = wanted.agentName ?? (await freeName(trx, workspace, wanted.blueprint))
    if (!isAgentName(agentName)) return wrongName(agentName)
    const tags = changedTags([], { add: wanted.tags })
    const { bindings } = JSON.parse(version.manifest) as Manifest
    await deleteOld(trx, workspace, now)
    if (await hasMaxCodes(trx, workspace, now)) return tooManyCodes
    const code = newToken('install')
    const row = await trx
      .insertInto('install_code')
      .values({
        id: newId(now),
        hash: hashToken(code),
        workspace_id: workspace.id,
        version_id: version.id,
        blueprint: wanted.blueprint,
        version: wanted.version,
        sha256: version.sha256,
        bindings: JSON.stringify(bindings),
        agent_name: agentName,
        tags: JSON.stringify(tags),
        issued_by: by.id,
        issued_by_name: by.name,
        issued_at: now,
        expires_at: now + codeMs,
        redeemed_at: null,
        revoked_at: null,
        agent_id: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await audit(trx, {
      ...note(row, by, now),
      action: 'code.issued',
      details: { code: row.id, agent: agentName, ...(tags.length > 0 && { tags }) },
    })
    const warnings = [...svcWarnings(version.manifest), ...(await warningsOf(trx, workspace, agentName, bindings))]
    return { ok: true, value: { row, code, warnings } }
  })
}

/** Revokes an install code, so that it can no longer be redeemed. */
export function revokeCode(
  { db, by, now }: ChangeContext,
  workspace: WorkspaceRef,
  id: string,
): Promise<Verdict<InstallCodeRow, 'code_unknown' | 'code_over'>> {
  return transaction(db, async (trx) => {
    const row = await trx
      .updateTable('install_code')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('workspace_id', '=', workspace.id)
      .where('redeemed_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where(liesAhead('expires_at', now, codeMs))
      .returningAll()
      .executeTakeFirst()
    if (row) {
      await audit(trx, { ...note(row, by, now), action: 'code.revoked', details: { code: id, agent: row.agent_name } })
      return { ok: true, value: row }
    }
    const over = await codeOf(trx, workspace, id, now)
    if (!over) return refuse('code_unknown', 'There is no such install code.')
    return refuse('code_over', `The install code is ${over.state} already: there is nothing to revoke.`)
  })
}

/** The workspace of an install code that the operator names only by its id. */
export const workspaceOfCode = (db: Db, id: string): Promise<WorkspaceInfo | undefined> =>
  db
    .selectFrom('install_code')
    .innerJoin('workspace', 'workspace.id', 'install_code.workspace_id')
    .select(['workspace.id', 'workspace.slug', 'workspace.name'])
    .where('install_code.id', '=', id)
    .executeTakeFirst()

/** How long install codes are listed after they were issued, in milliseconds. */
const shownFor = 30 * dayMs

/** The install codes of a workspace that were issued in the last 30 days, newest first, at most 200. */
export async function listCodes(db: Db, workspace: WorkspaceRef, now: number): Promise<InstallCode[]> {
  const rows = await withCircumstances(db, workspace)
    .where('issued_at', '>', now - shownFor)
    .orderBy('issued_at', 'desc')
    .orderBy('install_code.id', 'desc')
    .limit(200)
    .execute()
  return rows.map((row) => shownCode(row, now))
}

/** True if no further code may be issued. The workspace stays locked, so that simultaneous ones are counted. */
async function hasMaxCodes(trx: Db, { id }: WorkspaceRef, now: number): Promise<boolean> {
  await lockWorkspace(trx, id)
  const { valid } = await trx
    .selectFrom('install_code')
    .select((eb) => eb.fn.countAll<number>().as('valid'))
    .where('workspace_id', '=', id)
    .where(liesAhead('expires_at', now, codeMs))
    .where('redeemed_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(valid) >= maxCodes
}

export const maxCodes = 200
const tooManyCodes = refuse(
  'codes_too_many',
  `A workspace may have ${maxCodes} valid install codes: revoke one, or wait until one expires.`,
)

/** Deletes install codes that are no longer listed. The audit trail keeps what was done with them. */
const deleteOld = (trx: Db, workspace: WorkspaceRef, now: number) =>
  trx
    .deleteFrom('install_code')
    .where('workspace_id', '=', workspace.id)
    .where('issued_at', '<=', now - shownFor)
    .execute()

export async function codeOf(
  db: Db,
  workspace: WorkspaceRef,
  id: string,
  now: number,
): Promise<InstallCode | undefined> {
  const row = await withCircumstances(db, workspace).where('install_code.id', '=', id).executeTakeFirst()
  return row && shownCode(row, now)
}

/** The tags that the agent of a code gets. */
export const tagsIn = ({ tags }: Pick<InstallCodeRow, 'tags'>): string[] =>
  tags === null ? [] : (JSON.parse(tags) as string[])

/** The state of an install code. It is not stored, but follows from the stored times and the present one. */
export const codeState = (
  row: Pick<InstallCodeRow, 'redeemed_at' | 'revoked_at' | 'expires_at'>,
  now: number,
): Exclude<InstallCodeState, 'barred'> => {
  if (row.redeemed_at !== null) return 'redeemed'
  if (row.revoked_at !== null) return 'revoked'
  return isAhead(row.expires_at, now, codeMs) ? 'live' : 'expired'
}

/**
 * Further facts about an install code: the name of the agent that it installed, and the present role in the workspace
 * of the person who issued it. Each is null if there is none.
 */
interface Circumstances {
  agent: string | null
  issuer: string | null
}

export const shownCode = (row: InstallCodeRow & Circumstances, now: number): InstallCode => ({
  id: row.id,
  blueprint: row.blueprint,
  version: row.version,
  agentName: row.agent_name,
  tags: tagsIn(row),
  issuedAt: row.issued_at,
  issuedBy: row.issued_by_name,
  expiresAt: row.expires_at,
  state: shownState(row, now),
  redeemedAt: row.redeemed_at,
  revokedAt: row.revoked_at,
  agent: row.agent,
})

/**
 * The state of an install code as lists show it. A valid code is shown as barred if its issuer may no longer install;
 * redeeming checks that again in its transaction, and refuses with a separate code (7).
 */
function shownState(row: InstallCodeRow & Circumstances, now: number): InstallCodeState {
  const state = codeState(row, now)
  const barred = row.issued_by !== null && row.issuer !== 'admin'
  return state === 'live' && barred ? 'barred' : state
}

/** The role of the person who issued a code; null for somebody who is no member, or is disabled. */
const issuerRole = sql<string | null>`case when disabled_at is null then member.role end`

const withCircumstances = (db: Db, workspace: WorkspaceRef) =>
  db
    .selectFrom('install_code')
    .leftJoin('agent', 'agent.id', 'install_code.agent_id')
    .leftJoin('member', (join) =>
      join
        .onRef('member.workspaceId', '=', 'install_code.workspace_id')
        .onRef('member.userId', '=', 'install_code.issued_by'),
    )
    .leftJoin('person_disabled', 'person_disabled.person_id', 'install_code.issued_by')
    .selectAll('install_code')
    .select(['agent.name as agent', issuerRole.as('issuer')])
    .where('install_code.workspace_id', '=', workspace.id)

const versionOf = (db: Db, workspace: WorkspaceRef, { blueprint, version }: CodeWanted) =>
  versionNamed(db, workspace, blueprint, version)
    .select(['blueprint_version.id', 'sha256', 'manifest'])
    .executeTakeFirst()

/** The name of the blueprint, or else the first of `name-2`, `name-3` … that no agent of the workspace has. */
async function freeName(db: Db, workspace: WorkspaceRef, blueprint: string): Promise<string> {
  const rows = await db.selectFrom('agent').select('name').where('workspace_id', '=', workspace.id).execute()
  const [free = blueprint] = freeNames(blueprint, new Set(rows.map(({ name }) => name)), 1)
  return free
}

/**
 * Warns if the version of the blueprint needs a certain svc or a newer one. It is only a warning, because nobody knows
 * the version of svc on the machine yet.
 */
function svcWarnings(manifest: string): string[] {
  const needed = neededSvcOf(manifest)
  return needed
    ? [`The machine needs ${neededSvcText(needed)}: an older one refuses the code without using it up.`]
    : []
}

/**
 * The reasons why redeeming an install code would currently fail. They do not prevent issuing it, since they may be
 * gone when it is redeemed.
 */
async function warningsOf(
  db: Db,
  workspace: WorkspaceRef,
  name: string,
  bindings: readonly Binding[],
): Promise<string[]> {
  const warnings: string[] = []
  if (!(await isActivated(db, workspace.id))) warnings.push('The workspace is not activated for this service.')
  for (const { product } of bindings) {
    if (product === ownProduct || !(await isActivated(db, workspace.id, product)))
      warnings.push(`The product ${product} is not activated for the workspace: the operator can activate it.`)
  }
  if (await findAgent(db, workspace, name)) warnings.push(`The workspace already has an agent ${shown(name)}.`)
  const bots = await judgeBots(db, workspace, name, bindings)
  if (!bots.ok) warnings.push(bots.message)
  return warnings
}

const note = (row: InstallCodeRow, by: By, at: number) => ({
  workspaceId: row.workspace_id,
  at,
  by,
  subject: `blueprint ${row.blueprint}@${row.version}`,
})

const wrongName = (name: string) =>
  refuse(
    'agent_name_invalid',
    `An agent's name must have 1 to ${limits.agentName} lowercase letters, digits or single hyphens and be no device name such as "con": got ${shown(name)}.`,
  )
