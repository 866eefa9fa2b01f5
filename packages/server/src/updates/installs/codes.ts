/**
 * Install codes (2.9; 5, rule 5): each is valid once, for fifteen minutes. Here are their states, and how they are
 * listed and revoked; issue.ts issues them, and redeem.ts redeems them.
 */
import type { InstallCode, InstallCodeState } from '@svc/api'
import { isAhead, limits, type Verdict } from '@svc/protocol'
import { sql } from 'kysely'
import type { Actor, ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { InstallCodeRow } from '../../platform/db/tables.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { transaction } from '../../platform/db/transaction.ts'
import type { WorkspaceRef } from '../../platform/ids.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { refuse } from '../../platform/verdict.ts'

/** The milliseconds for which an install code is valid. */
export const codeMs = limits.installCodeSeconds * 1000

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
      .where(isAheadSql('expires_at', now, codeMs))
      .returningAll()
      .executeTakeFirst()
    if (row) {
      await audit(trx, {
        ...codeAuditEntry(row, by, now),
        action: 'code.revoked',
        details: { code: id, agent: row.agent_name },
      })
      return { ok: true, value: row }
    }
    const over = await findCode(trx, workspace, id, now)
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

/** The milliseconds for which install codes are listed after they were issued. */
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

/** Deletes install codes that are no longer listed. The audit trail keeps what was done with them. */
export const deleteOldCodes = (trx: Db, workspace: WorkspaceRef, now: number) =>
  trx
    .deleteFrom('install_code')
    .where('workspace_id', '=', workspace.id)
    .where('issued_at', '<=', now - shownFor)
    .execute()

export async function findCode(
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

/** The state of an install code. It is not stored, but follows from the stored times and the present time. */
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
 * The state of an install code as lists show it. A valid code is shown as barred if its issuer may no longer install.
 * Redeeming such a code is refused with `issuer_not_allowed`.
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

/** The fields that all audit entries about an install code have in common. */
export const codeAuditEntry = (row: InstallCodeRow, by: Actor, at: number) => ({
  workspaceId: row.workspace_id,
  at,
  by,
  subject: `blueprint ${row.blueprint}@${row.version}`,
})
