/**
 * Makes a workspace with many agents in a data folder that no service uses yet. It calls the functions that the page
 * and `svc-server` call, but in one transaction.
 */
import type { Level } from '@svc/protocol'
import { judgeRule } from '../src/alerts/rules/judge.ts'
import { defaultRule } from '../src/alerts/rules/rules.ts'
import { scopeOf } from '../src/alerts/scope.ts'
import { insertAlert } from '../src/alerts/store.ts'
import { createAgent } from '../src/fleet/agents/store.ts'
import { operator as by, grantedToOperator } from '../src/operator/shared/request.ts'
import { setLimits } from '../src/people/workspaces/limits.ts'
import { createWorkspace } from '../src/people/workspaces/store.ts'
import { transaction } from '../src/platform/db/transaction.ts'
import { dayNumber } from '../src/platform/limits/units.ts'
import { piecesOf } from '../src/platform/lists.ts'
import { readConfig, type Variables } from '../src/service/config.ts'
import { openService } from '../src/service/open.ts'
import { uploaded } from './bundles.ts'

/** The number of agents that get an ended alert for each time at a worse level in the last hours. */
const agentsWithAlerts = 60
const alertHours = 20

export interface ManyAgents {
  /** The variables of the service that will use the data. */
  readonly env: Variables
  readonly cwd: string
  readonly workspace: { readonly slug: string; readonly name: string }
  readonly agents: readonly {
    readonly name: string
    readonly tags: readonly string[]
    /** The version of the blueprint with which the agent was installed. */
    readonly installed?: string
    /**
     * The changes of the agent's level before now, oldest first. The newest one is its state, with its detail. The
     * first agents also get ended alerts for their times at a worse level.
     */
    readonly past?: readonly {
      readonly at: number
      readonly level: Level
      readonly label: string
      readonly detail?: string
    }[]
  }[]
  /** A blueprint to upload, with the description of each version, and its agents by version on days before today. */
  readonly blueprint?: {
    readonly name: string
    readonly versions: Readonly<Record<string, string>>
    readonly past?: readonly { readonly at: number; readonly version: string; readonly agents: number }[]
  }
  /** The number of agents that the workspace may have. */
  readonly limit: number
}

/** Returns the tokens of the agents, in their order. `made` is awaited after each; if it throws, none is made. */
export async function makeManyAgents(
  { env, cwd, workspace: wanted, agents, blueprint, limit }: ManyAgents,
  made: (agents: number) => void | Promise<void>,
): Promise<string[]> {
  const umask = process.umask()
  const service = await openService(readConfig({ flags: {}, env, cwd }), Date.now, () => Promise.resolve(false))
  process.umask(umask)
  if (!service) throw new Error('A service uses the data folder.')
  const { store, now } = service
  try {
    const workspace = grantedToOperator(await createWorkspace({ people: service, by, now: now() }, wanted))
    await setLimits({ db: store.db, by, now: now() }, workspace, { agents: limit })
    if (blueprint)
      for (const [version, description] of Object.entries(blueprint.versions))
        await uploaded({ db: store.db, by, now: now() }, workspace, { name: blueprint.name, version, description })
    return await transaction(store.db, async (db) => {
      const tokens: string[] = []
      const days = (blueprint?.past ?? []).map(({ at, version, agents }) => ({
        ...{ workspace_id: workspace.id, blueprint: blueprint?.name ?? '' },
        ...{ day: dayNumber(at), version, agents },
      }))
      for (const piece of piecesOf(days, 100)) await db.insertInto('version_day').values(piece).execute()
      for (const { name, tags, installed, past = [] } of agents) {
        const { agent, token } = grantedToOperator(await createAgent({ db, by, now: now() }, workspace, name, tags))
        if (blueprint && installed !== undefined) {
          const set = { blueprint: blueprint.name, installed_version: installed }
          await db.updateTable('agent').set(set).where('id', '=', agent.id).execute()
        }
        if (past.length > 0) {
          const rows = past.map(({ at, level, label }) => ({ at, level, label, agent_id: agent.id, paused: 0 }))
          await db.insertInto('level_change').values(rows).execute()
          const first = past[0]?.at ?? now()
          const set = { first_report_at: first, created_at: first }
          await db.updateTable('agent').set(set).where('id', '=', agent.id).execute()
          // The agent gets a stored report, so that the next one does not count as its first.
          const { level = null, label = null, detail = null } = past.at(-1) ?? {}
          const report = {
            agent_id: agent.id,
            received_at: now(),
            controls: '[]',
            interval_s: 30,
            reporters: '',
            runs_kept: 0,
          }
          await db
            .insertInto('agent_report')
            .values({ ...report, body: '{"protocol":1}', level, label, detail } as never)
            .execute()
        }
        if (tokens.length < agentsWithAlerts)
          for (const [i, { at, level, label }] of past.entries()) {
            const until = past[i + 1]?.at
            if (until === undefined || (level !== 'bad' && level !== 'warn') || at < now() - alertHours * 3_600_000)
              continue
            const rule = level === 'bad' ? 'bad' : 'warning'
            const holds = { is: 'holds', label } as const
            const { alert } = judgeRule({ ...defaultRule(rule), after: 0 }, holds, undefined, { now: at, muted: false })
            const about = { kind: 'agent', id: agent.id, name } as const
            const ended = { endedAt: until, told: 'ended', toldAt: until } as const
            if (alert) await insertAlert(db, { scope: scopeOf(workspace), rule, about }, { ...alert, ...ended }, at)
          }
        await made(tokens.push(token))
      }
      return tokens
    })
  } finally {
    await service.close()
  }
}
