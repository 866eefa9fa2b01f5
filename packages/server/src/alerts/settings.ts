/**
 * Settings that people make about alerts: whether messages may contain an agent's own words, and the hours in which an
 * agent is expected to report. Each change writes a line to the activity.
 */
import type { AgentHours, AlertSettings } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import { lockAgent } from '../fleet/commands/lock.ts'
import type { ChangeContext } from '../people/audit/by.ts'
import { audit } from '../people/audit/store.ts'
import type { Db } from '../platform/db/open.ts'
import { transaction } from '../platform/db/transaction.ts'
import { done, unknownAgent } from '../platform/verdict.ts'
import { readHours, writeHours } from './rules/hours.ts'

export async function readAlertSettings(db: Db, { id }: { id: string }): Promise<AlertSettings> {
  const row = await db.selectFrom('alert_setting').select('detail').where('scope', '=', id).executeTakeFirst()
  return { detail: row?.detail === 1 }
}

/** Changes what messages about alerts of a workspace may contain. */
export const setAlertSettings = (
  { db, by, now }: ChangeContext,
  { id, slug }: { id: string; slug: string },
  wanted: AlertSettings,
): Promise<Verdict<AlertSettings, never>> =>
  transaction(db, async (trx) => {
    const before = await readAlertSettings(trx, { id })
    const detail = wanted.detail ? 1 : 0
    await trx
      .insertInto('alert_setting')
      .values({ scope: id, workspace_id: id, detail })
      .onConflict((oc) => oc.column('scope').doUpdateSet({ detail }))
      .execute()
    if (before.detail !== wanted.detail) {
      const line = { workspaceId: id, at: now, by, subject: `workspace ${slug}`, details: { ...wanted } }
      await audit(trx, { ...line, action: 'alert.settings_changed' })
    }
    return done({ detail: wanted.detail })
  })

export async function readExpectedHours(db: Db, { id }: { id: string }): Promise<AgentHours> {
  const row = await db.selectFrom('agent_hours').select('hours').where('agent_id', '=', id).executeTakeFirst()
  return { hours: row?.hours ?? null }
}

/** Sets the hours in which an agent is expected to report; null means always. */
export const setAgentHours = (
  { db, by, now }: ChangeContext,
  { id }: { id: string },
  text: string | null,
): Promise<Verdict<AgentHours, 'hours_invalid' | 'agent_unknown'>> =>
  transaction(db, async (trx) => {
    const read = text === null ? done(null) : readHours(text)
    if (!read.ok) return read
    const hours = read.value && writeHours(read.value)
    const agent = await lockAgent(trx, id)
    if (!agent) return unknownAgent
    const before = await readExpectedHours(trx, { id })
    if (hours === null) await trx.deleteFrom('agent_hours').where('agent_id', '=', id).execute()
    else
      await trx
        .insertInto('agent_hours')
        .values({ agent_id: id, hours })
        .onConflict((oc) => oc.column('agent_id').doUpdateSet({ hours }))
        .execute()
    if (before.hours !== hours) {
      const line = { workspaceId: agent.workspace_id, at: now, by, subject: `agent ${agent.name}` }
      await audit(trx, { ...line, action: 'agent.hours_changed', details: { hours } })
    }
    return done({ hours })
  })
