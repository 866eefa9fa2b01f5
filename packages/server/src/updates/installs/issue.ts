/**
 * Issues install codes. What a code installs is fixed when it is issued (D43), but nothing is reserved. Only the hash
 * of a code is stored. Several codes that are wanted at once are issued in one transaction: all or none.
 */
import { changedTags } from '@svc/api/filter'
import { type Binding, type Manifest, neededSvcText } from '@svc/blueprint'
import { freeNames, isAgentName, limits, shown, type Verdict } from '@svc/protocol'
import { findAgent } from '../../fleet/agents/store.ts'
import { checkRoomForBots, judgeBots } from '../../fleet/bots/store.ts'
import { versionNamed } from '../../fleet/versions/named.ts'
import type { ChangeContext } from '../../people/audit/by.ts'
import { audit } from '../../people/audit/store.ts'
import { lockWorkspace } from '../../people/workspaces/lock.ts'
import { isActivated, ownProduct } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import type { InstallCodeRow } from '../../platform/db/tables.ts'
import { isAheadSql } from '../../platform/db/times.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { newId, type WorkspaceRef } from '../../platform/ids.ts'
import { hashToken, newToken } from '../../platform/tokens.ts'
import { refuse } from '../../platform/verdict.ts'
import { neededSvcOf } from '../wishes/needs.ts'
import { codeAuditEntry, codeMs, deleteOldCodes } from './codes.ts'

interface CodesWanted {
  blueprint: string
  version: string
  /**
   * The name of the agent to install; by default the name of the blueprint, with a number if that name is taken. With a
   * `count`, the names of all the agents begin with this name.
   */
  agentName?: string | undefined
  /** The tags that the agents get. */
  tags?: readonly string[] | undefined
  /** The number of codes, each for another agent. By default there is one code, which may name an agent that exists. */
  count?: number | undefined
}
/** An install code that was just issued. */
export interface IssuedCode {
  row: InstallCodeRow
  /** The install code, which is shown only this once. */
  code: string
  /** The reasons why installing with the code would fail at present, or may fail on some machines. */
  warnings: string[]
}

/** Issues one or more install codes for one version of a blueprint. */
export function issueCodes(
  { db, by, now }: ChangeContext,
  workspace: WorkspaceRef,
  wanted: CodesWanted,
): Promise<
  Verdict<
    readonly [IssuedCode, ...IssuedCode[]],
    'version_unknown' | 'agent_name_invalid' | 'codes_too_many' | 'bots_too_many'
  >
> {
  return transaction(db, async (trx) => {
    const version = await findVersion(trx, workspace, wanted)
    if (!version) {
      return refuse(
        'version_unknown',
        `There is no blueprint ${shown(wanted.blueprint)} with version ${shown(wanted.version)}.`,
      )
    }
    const tags = changedTags([], { add: wanted.tags })
    const { bindings } = JSON.parse(version.manifest) as Manifest
    // Because of the lock, simultaneous calls issue codes one after another. Each counts the codes of those before it.
    await lockWorkspace(trx, workspace.id)
    await deleteOldCodes(trx, workspace, now)
    const valid = await validCodes(trx, workspace, now)
    const [first, ...others] = await namesFor(trx, workspace, wanted, valid)
    if (first === undefined || !isAgentName(first)) return wrongName(first ?? '')
    const names = [first, ...others]
    if (valid.length + names.length > maxCodes) return tooManyCodes(valid.length)
    const room = wanted.count === undefined ? undefined : await checkRoomForBots(trx, workspace, names, bindings)
    if (room?.ok === false) return room

    const issue = (agentName: string): { code: string; row: InstallCodeRow } => {
      const code = newToken('install')
      return {
        code,
        row: {
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
        },
      }
    }
    const issued = names.map(issue)
    await trx
      .insertInto('install_code')
      .values(issued.map(({ row }) => row))
      .execute()
    for (const { row } of issued) {
      await audit(trx, {
        ...codeAuditEntry(row, by, now),
        action: 'code.issued',
        details: { code: row.id, agent: row.agent_name, ...(tags.length > 0 && { tags }) },
      })
    }
    const general = [...svcWarnings(version.manifest), ...(await findWarnings(trx, workspace, bindings))]
    const warned: IssuedCode[] = []
    for (const one of issued)
      warned.push({
        ...one,
        warnings: [...general, ...(await nameWarnings(trx, workspace, one.row.agent_name, bindings))],
      })
    return { ok: true, value: warned as [IssuedCode, ...IssuedCode[]] }
  })
}

/** The names of agents in the valid codes of a workspace, one for each code. */
async function validCodes(trx: Db, { id }: WorkspaceRef, now: number): Promise<string[]> {
  const rows = await trx
    .selectFrom('install_code')
    .select('agent_name')
    .where('workspace_id', '=', id)
    .where(isAheadSql('expires_at', now, codeMs))
    .where('redeemed_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute()
  return rows.map(({ agent_name }) => agent_name)
}

/** The maximum number of valid install codes of a workspace. */
export const maxCodes = 200
const tooManyCodes = (valid: number) =>
  refuse(
    'codes_too_many',
    `A workspace may have ${maxCodes} valid install codes, and this one has ${valid}: revoke some, or wait until they expire.`,
  )

const findVersion = (db: Db, workspace: WorkspaceRef, { blueprint, version }: CodesWanted) =>
  versionNamed(db, workspace, blueprint, version)
    .select(['blueprint_version.id', 'sha256', 'manifest'])
    .executeTakeFirst()

/**
 * The names of the agents that the codes install. With a `count`, these are the next names that no agent and no valid
 * code has. Without a `count`, the only name is the wanted one, or else the first name that no agent has.
 */
async function namesFor(
  db: Db,
  workspace: WorkspaceRef,
  { blueprint, agentName, count }: CodesWanted,
  promised: readonly string[],
): Promise<string[]> {
  if (agentName !== undefined && (count === undefined || !isAgentName(agentName))) return [agentName]
  const rows = await db.selectFrom('agent').select('name').where('workspace_id', '=', workspace.id).execute()
  const taken = new Set([...rows.map(({ name }) => name), ...(count === undefined ? [] : promised)])
  return freeNames(agentName ?? blueprint, taken, count ?? 1)
}

/**
 * Warns if the version of the blueprint needs a minimum version of svc. Nothing is refused, because the version of svc
 * on the machine is not known yet.
 */
function svcWarnings(manifest: string): string[] {
  const needed = neededSvcOf(manifest)
  return needed
    ? [`The machine needs ${neededSvcText(needed)}: an older one refuses the code without using it up.`]
    : []
}

/**
 * The reasons why redeeming any install code with these bindings would currently fail. They do not prevent issuing a
 * code, since they may be gone when the code is redeemed.
 */
async function findWarnings(db: Db, workspace: WorkspaceRef, bindings: readonly Binding[]): Promise<string[]> {
  const warnings: string[] = []
  if (!(await isActivated(db, workspace.id))) warnings.push('The workspace is not activated for this service.')
  for (const { product } of bindings) {
    if (product === ownProduct || !(await isActivated(db, workspace.id, product)))
      warnings.push(`The product ${product} is not activated for the workspace: the operator can activate it.`)
  }
  return warnings
}

/** The reasons why redeeming an install code for an agent of this name would currently fail. */
async function nameWarnings(
  db: Db,
  workspace: WorkspaceRef,
  name: string,
  bindings: readonly Binding[],
): Promise<string[]> {
  const warnings: string[] = []
  if (await findAgent(db, workspace, name)) warnings.push(`The workspace already has an agent ${shown(name)}.`)
  const bots = await judgeBots(db, workspace, name, bindings)
  if (!bots.ok) warnings.push(bots.message)
  return warnings
}

const wrongName = (name: string) =>
  refuse(
    'agent_name_invalid',
    `An agent's name must have 1 to ${limits.agentName} lowercase letters, digits or single hyphens and be no device name such as "con": got ${shown(name)}.`,
  )
