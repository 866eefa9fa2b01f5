/** Sends a log from an agent (2.8) as a file: only to admins, and not after 30 days (I32). */
import { type Context, Hono } from 'hono'
import { noteReading } from '../../fleet/logs/reading.ts'
import { requireFound } from '../../platform/refusal.ts'
import { findLog } from '../queries/logs.ts'
import { requireAdmin, requireAgent, type WebEnv } from '../routing/guards.ts'
import type { WebDeps } from '../routing/web-deps.ts'

export const logDownload = (deps: WebDeps) => {
  const { store, now } = deps
  const one = requireAgent(deps)
  const readingOf = (c: Context<WebEnv>) => ({
    workspaceId: c.var.workspace.id,
    agent: c.var.agent,
    by: c.var.person,
    now: now(),
  })
  return new Hono<WebEnv>().get('/agents/:name/logs/:id/download', requireAdmin, one, async (c) => {
    const log = requireFound(await findLog(store.db, c.var.agent, c.req.param('id'), now()), 'log_unknown')
    await noteReading(store.db, { ...readingOf(c), log, how: 'log.downloaded' })
    const at = new Date(log.receivedAt).toISOString().slice(0, 19).replaceAll(':', '-')
    const name = log.name.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 80)
    c.header('content-disposition', `attachment; filename="${c.var.agent.name}-${name}-${at}.txt"`)
    return c.text(log.text)
  })
}
