/** A workspace whose alerts are evaluated while its agents report, for tests of what alerts say. Nothing is sent. */
import type { AlertLine, RuleName } from '@svc/api'
import { setRule } from '../src/alerts/changes/rules.ts'
import { evaluateScope } from '../src/alerts/evaluation/evaluate.ts'
import type { AlertChange } from '../src/alerts/messages/message.ts'
import { alertSummary } from '../src/alerts/messages/words.ts'
import { scopeOf } from '../src/alerts/scope.ts'
import type { Store } from '../src/platform/db/open.ts'
import { newId } from '../src/platform/ids.ts'
import { alertLines } from '../src/web/queries/alerts.ts'
import { reporting } from './reporting.ts'
import { newTestWorkspace, type TestAgent } from './test-workspace.ts'

export const baseUrl = 'https://svc.example.org'

/** Makes a workspace with a channel, and returns functions that evaluate and read its alerts. */
export async function watched(store: Store) {
  const w = await newTestWorkspace(store)
  const { db } = w.store
  const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
  const { decide } = reporting(w)
  const now = w.clock.now()
  await db
    .insertInto('alert_channel')
    .values({
      ...{ id: newId(now), scope: w.workspace.id, workspace_id: w.workspace.id, person_id: null, owner: '' },
      ...{ name: 'ops', kind: 'webhook', format: 'single', enabled: 1, disabled_why: null, shown: '', sealed: '' },
      ...{ created_at: now, created_by_name: 'Ada', last_answer: null, last_at: null, grouped_at: null },
      ...{ failing_since: null, dead: 0 },
    })
    .execute()
  let read = 0
  const looks = () => evaluateScope(w.store, place, { baseUrl, now: w.clock.now() })
  const ctx = () => ({ db, by: w.admin, now: w.clock.now() })
  return {
    ...{ w, db, place, ctx, looks },
    report: (parts: object, agent: TestAgent = w.agent) => decide(parts, { agent }),
    /** Evaluates every 15 s for this many minutes. Meanwhile these agents report `parts`, or nothing, every 30 s. */
    lives: async (minutes: number, parts?: object, agents: readonly TestAgent[] = [w.agent]) => {
      for (let i = 0; i < minutes * 4; i++) {
        if (parts !== undefined && i % 2 === 0) for (const agent of agents) await decide(parts, { agent })
        w.clock.pass(15)
        await looks()
      }
    },
    turnsOn: async (rule: RuleName, after = 0) => {
      const set = await setRule(ctx(), w.workspace, { rule, on: true, ...(rule !== 'command' && { after }) })
      if (!set.ok) throw new Error(set.message)
    },
    /** The changes about which messages were made since the last call. */
    changes: async (): Promise<AlertChange[]> => {
      const rows = await db.selectFrom('alert_delivery').select('changes').orderBy('seq').execute()
      const all = rows.flatMap(({ changes }) => JSON.parse(changes) as AlertChange[])
      const since = all.slice(read)
      read = all.length
      return since
    },
    /** The open alerts as pages show them, or those that have ended. */
    lines: async (ended = false): Promise<AlertLine[]> => {
      const wanted = { ended, before: undefined, limit: 500, now: w.clock.now() }
      return (await alertLines(db, w.workspace, wanted)).rows
    },
  }
}

/** A message as one line: `ended: mail-triage was offline …`. */
export const saidIn = (change: AlertChange): string =>
  `${change.type.replace('alert.', '')}: ${alertSummary(change.type, change, change.at)}`
