import type { AgentBinding, AgentPage, MachineChange, Role } from '@svc/api'
import type { Manifest } from '@svc/blueprint'
import { type HealthItem, type Level, pausedLabel, readPauseText, type SettingValue } from '@svc/protocol'
import { tokenState } from '../../fleet/bots/store.ts'
import { pendingCommands, readLogNames } from '../../fleet/commands/store.ts'
import { storedReport } from '../../fleet/reports/body.ts'
import { pendingUsage } from '../../fleet/reports/pending.ts'
import { hasTwoReporters } from '../../fleet/reports/reporters.ts'
import { declaredManifest } from '../../fleet/versions/declared.ts'
import { versionNamed } from '../../fleet/versions/named.ts'
import type { Db } from '../../platform/db/open.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { dayNumber } from '../../platform/limits/units.ts'
import { listedCommand } from './commands.ts'
import { firstThatFit, jsonSize } from './fitting.ts'
import { fleetRows } from './fleet-rows.ts'
import { statesSince } from './states.ts'
import { agentUpdates } from './updates.ts'

/** An agent's page: the last report as it was received (I9), and what the service stores with it. */
export async function agentPage(db: Db, agent: AgentRow, role: Role, now: number): Promise<AgentPage> {
  const last = await db
    .selectFrom('agent_report')
    .select(['received_at', 'interval_s', 'reporters', 'runs_kept', 'body', 'usage'])
    .where('agent_id', '=', agent.id)
    .executeTakeFirst()
  const row = (await fleetRows(db, agent.workspace_id, dayNumber(now), [agent.id])).get(agent.id)
  const report = last ? storedReport(last.body) : null
  return {
    now,
    name: agent.name,
    tags: row?.tags ?? [],
    createdAt: agent.created_at,
    createdBy: agent.created_by,
    statesSince: await statesSince(db, agent),
    blueprint: agent.blueprint,
    versions: {
      installed: agent.installed_version,
      running: agent.reported_version,
      previous: agent.previous_version,
    },
    updates: await agentUpdates(db, agent, now),
    bindings: await readBindings(db, agent, report?.health ?? [], now),
    machineChanges: await readMachineChanges(db, agent, 50),
    seenAt: last?.received_at ?? null,
    silentAt: row?.silentAt ?? null,
    stopped: row?.stopped ?? null,
    statusAt: row?.statusAt ?? null,
    statusOld: row?.statusOld ?? false,
    statusLate: row?.statusLate ?? false,
    secretsMissing: row?.secretsMissing ?? false,
    nextReportAt: last && !row?.stopped ? last.received_at + last.interval_s * 1000 : null,
    pausedBy: await pausedBy(db, agent, report),
    twoReporters: last ? hasTwoReporters(last.reporters) : false,
    report,
    runs: {
      kept: last?.runs_kept ?? 0,
      statuses: fittingNames(await readStatuses(db, agent)).sort(),
      models: fittingNames(await readModels(db, agent, last?.usage ?? null)).sort(),
    },
    logs: fittingNames(await readLogNames(db, agent)).sort(),
    hasCommands: await isKept(db, 'command', agent),
    hasLogs: await isKept(db, 'log', agent),
    costToday: row?.costToday ?? null,
    cost30: row?.cost30 ?? null,
    open: (await pendingCommands(db, agent, now)).map((command) => listedCommand(command, null)),
    canAct: role === 'admin',
  }
}

const isKept = async (db: Db, table: 'command' | 'log', agent: { id: string }): Promise<boolean> =>
  (await db.selectFrom(table).select('id').where('agent_id', '=', agent.id).limit(1).executeTakeFirst()) !== undefined

async function pausedBy(db: Db, agent: { id: string }, report: AgentPage['report']): Promise<string | null> {
  const command = report?.state?.label === pausedLabel ? readPauseText(report.state.detail ?? '')?.command : undefined
  if (command === undefined) return null
  const row = await db
    .selectFrom('command')
    .select('created_by_name')
    .where('id', '=', command)
    .where('agent_id', '=', agent.id)
    .executeTakeFirst()
  return row?.created_by_name ?? null
}

async function readStatuses(db: Db, agent: { id: string }): Promise<string[]> {
  const rows = await db.selectFrom('run').select('status').distinct().where('agent_id', '=', agent.id).execute()
  return rows.flatMap(({ status }) => (status === null ? [] : [status]))
}

/** The names of the models that the agent used, the most recently used ones first. */
async function readModels(db: Db, agent: { id: string }, usage: string | null): Promise<Set<string>> {
  const rows = await db
    .selectFrom('usage_day')
    .select('model')
    .where('agent_id', '=', agent.id)
    .where('model', '!=', '')
    .orderBy('day', 'desc')
    .limit(modelRowsRead)
    .execute()
  const models = [...pendingUsage(usage), ...rows].map(({ model }) => model)
  return new Set(models.filter((model) => model !== ''))
}

/**
 * The maximum number of rows of daily sums that are read to find the names of models, enough for 200 models on each of
 * ten days.
 */
const modelRowsRead = 2000
/**
 * The maximum bytes of a list of names from which a person can choose. If there are more names, only the first ones are
 * sent.
 */
const maxNamesBytes = 32 * 1024

const fittingNames = (names: Iterable<string>): string[] =>
  firstThatFit(names, (name) => jsonSize(name) + 1, maxNamesBytes)

/** The changes that were made on an agent's machine and not by a command of the service, newest first. */
export async function readMachineChanges(db: Db, agent: { id: string }, limit: number): Promise<MachineChange[]> {
  const rows = await db
    .selectFrom('machine_change')
    .select(['at', 'kind', 'key', 'before', 'after'])
    .where('agent_id', '=', agent.id)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ before, after, ...change }) => ({
    ...change,
    before: JSON.parse(before) as SettingValue,
    after: JSON.parse(after) as SettingValue,
  }))
}

// An agent's bindings as its page shows them (2.9, 3.7): the bot, its token, its health, and how to fix a problem.

/**
 * The bindings of an agent, sorted by product: those for which the agent has a token, and those that its running or
 * wished version declares.
 */
async function readBindings(
  db: Db,
  agent: AgentRow,
  health: readonly HealthItem[],
  now: number,
): Promise<AgentBinding[]> {
  if (agent.blueprint === null) return []
  const tokens = await db
    .selectFrom('bot_token')
    .innerJoin('bot', 'bot.id', 'bot_token.bot_id')
    .selectAll('bot_token')
    .select(['bot.name', 'bot.role'])
    .where('agent_id', '=', agent.id)
    .execute()
  const running = (await declaredManifest(db, agent))?.bindings ?? []
  const wished = await wishedBindings(db, agent)
  const named = [...running, ...wished]
  const ids = [...new Set([...tokens.map((token) => token.product_id), ...named.map(({ product }) => product)])].sort()
  const products = await readProductNames(db, agent.workspace_id, ids)
  return ids.map((id) => {
    const token = tokens.find((t) => t.product_id === id)
    const wanted = named.find(({ product }) => product === id)
    const item = health.find(({ name }) => name === `Binding ${id}`)
    const product = products.find((p) => p.id === id)
    const binding = {
      product: id,
      origin: product?.origin ?? null,
      role: token?.role ?? wanted?.role ?? '',
      scopes: token ? (JSON.parse(token.scopes) as string[]) : [...(wanted?.scopes ?? [])],
      bot: token ? { id: token.bot_id, name: token.name } : null,
      token: token ? tokenState(token, now) : ('none' as const),
      expiresAt: token?.expires_at ?? null,
      revokedAt: token?.revoked_at ?? null,
      lastUsedAt: token?.last_used_at ?? null,
      health: item?.level === undefined ? null : { level: item.level, detail: item.detail ?? null },
    }
    if (!token && !running.some((b) => b.product === id))
      return { ...binding, ...bindingAfterUpdate(id, agent.wished_version) }
    const judged = judge(binding, product?.activated ?? false)
    // If the service knows itself that the binding cannot work, it leaves out the health in the last report, which may
    // be older.
    const known = binding.token !== 'active' || !product?.activated
    return { ...binding, ...judged, ...(known && { health: null }) }
  })
}

/**
 * Describes a binding that the wished version needs and for which the agent has no token. Tokens are issued only at an
 * installation (2.9), so the page warns before the update.
 */
const bindingAfterUpdate = (product: string, version: string | null): { broken: boolean; mends: string } => ({
  broken: false,
  mends: `The requested version ${version} needs ${product}, but the agent has no token for it and would run without one. ${newTokenAdvice}`,
})
const newTokenAdvice = 'To give it a new token, delete the agent here and install it again with a new code.'

async function wishedBindings(db: Db, agent: AgentRow): Promise<Manifest['bindings']> {
  if (agent.wished_version === null) return []
  const row = await versionNamed(db, { id: agent.workspace_id }, agent.blueprint, agent.wished_version)
    .select('manifest')
    .executeTakeFirst()
  return row ? ((JSON.parse(row.manifest) as Partial<Manifest>).bindings ?? []) : []
}

/** Decides whether a binding is broken (3.7), and how to fix the first problem that it has. */
function judge(
  { product, token, health }: Pick<AgentBinding, 'product' | 'token'> & { health: { level: Level } | null },
  activated: boolean,
): { broken: boolean; mends: string | null } {
  const broken = (mends: string) => ({ broken: true, mends })
  if (token === 'none')
    return broken(
      `The agent has no token for ${product}: its bot was deleted, or a newer version needs it. ${newTokenAdvice}`,
    )
  if (token === 'revoked') return broken(`The bot's token for ${product} was revoked here. ${newTokenAdvice}`)
  if (token === 'expired') return broken(`The bot's token for ${product} has expired after one year. ${newTokenAdvice}`)
  if (!activated) return broken(`The workspace is not activated for ${product}: the operator can activate it again.`)
  if (health?.level === 'bad') {
    return broken(
      `${product} refuses the bot. This can only be fixed in its own settings: make the bot a member there again.`,
    )
  }
  if (health?.level === 'warn') {
    return {
      broken: false,
      mends: `The agent's machine could not reach ${product}. It retries within five minutes.`,
    }
  }
  return { broken: false, mends: null }
}

async function readProductNames(db: Db, workspaceId: string, ids: string[]) {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('product')
    .leftJoin('workspace_product', (join) =>
      join.onRef('product_id', '=', 'product.id').on('workspace_id', '=', workspaceId),
    )
    .select(['product.id', 'origin', 'activated_at'])
    .where('product.id', 'in', ids)
    .execute()
  return rows.map(({ id, origin, activated_at }) => ({ id, origin, activated: activated_at !== null }))
}
