/**
 * Computes what a person is shown before an action is sent. Agents are read in pieces, each in a transaction, so that
 * reports are answered in between.
 */
import type { ActionOffers, ActionOffersInput, ActionPreview, NewAction, OfferedLog, OfferedSetting } from '@svc/api'
import {
  type OfferedFacts,
  readCommand,
  type Setting,
  type Settings,
  type SettingValue,
  type Verdict,
} from '@svc/protocol'
import { readOffers, whyNotQueued } from '../../fleet/commands/many.ts'
import type { Db } from '../../platform/db/open.ts'
import { betweenTransactions, type RunInTransaction, transaction } from '../../platform/db/transaction.ts'
import { byText, piecesOf } from '../../platform/lists.ts'
import { done } from '../../platform/verdict.ts'
import { deleteMisfits, liftMisfits } from './runner.ts'
import { agentsNamed } from './store.ts'

const agentsAtOnce = 250
/** The number of agents whose logs are read at a time. The logs of one agent may be in 2,000 runs. */
const agentsWithLogsAtOnce = 20

/** Says how many agents an action would reach now, and why it would skip the others. Changes nothing. */
export async function previewAction(
  on: Db | RunInTransaction,
  workspace: { id: string },
  wanted: NewAction,
): Promise<Verdict<ActionPreview, 'agent_unknown'>> {
  const named = await transaction(on, (db) => agentsNamed(db, workspace, wanted.agents))
  if (!named.ok) return named
  const skips: ActionPreview['skips'] = []
  for (const piece of piecesOf(named.value, agentsAtOnce)) {
    await betweenTransactions(on)
    const whys = await transaction(on, (db) =>
      whyNot(
        db,
        wanted,
        piece.map(({ id }) => id),
      ),
    )
    for (const { id, name } of piece) {
      const message = whys.get(id)
      if (message !== undefined) skips.push({ name, message })
    }
  }
  skips.sort((a, b) => byText(a.name, b.name))
  return done({ sends: named.value.length - skips.length, skips })
}

/** Sums up the settings that these agents declare (`type` is `set`), or the logs that they offer (`log`). */
export async function actionOffers(
  on: Db | RunInTransaction,
  workspace: { id: string },
  { type, agents }: ActionOffersInput,
): Promise<Verdict<ActionOffers, 'agent_unknown'>> {
  const named = await transaction(on, (db) => agentsNamed(db, workspace, agents))
  if (!named.ok) return named
  const offers: OfferedFacts[] = []
  const sorted = named.value.sort((a, b) => byText(a.name, b.name))
  for (const piece of piecesOf(sorted, type === 'log' ? agentsWithLogsAtOnce : agentsAtOnce)) {
    const ids = piece.map(({ id }) => id)
    await betweenTransactions(on)
    const read = await transaction(on, (db) => readOffers(db, ids, type === 'log' ? 'all' : 'none'))
    offers.push(...ids.flatMap((id) => read.get(id) ?? []))
  }
  return done({
    settings: type === 'set' ? settingsOffered(offers.map(({ settings }) => settings)) : [],
    logs: type === 'log' ? logsOffered(offers.map(({ logs }) => logs)) : [],
  })
}

async function whyNot(
  db: Db,
  { type, values = {} }: NewAction,
  ids: string[],
): Promise<Map<string, string | undefined>> {
  if (type === 'lift') return liftMisfits(db, ids)
  if (type === 'delete') return deleteMisfits(db, ids)
  const body = readCommand({ type, payload: values })
  return body.ok ? whyNotQueued(db, ids, body.value) : new Map(ids.map((id) => [id, body.message]))
}

// Sums up what agents offer, so that a person can choose one command for many of them.

/** The maximum number of settings and logs in an answer, and of values of one setting. */
const maxListed = { settings: 200, logs: 500, values: 3 } as const

/**
 * Counts the agents that declare each setting. Settings with the same key, type and options are one setting, which has
 * the widest bounds.
 */
export function settingsOffered(all: Iterable<Settings | undefined>): OfferedSetting[] {
  const sums = new Map<string, { setting: Setting; agents: number; values: Map<SettingValue, number> }>()
  for (const settings of all)
    for (const setting of firstOfEachKey(settings?.schema ?? [])) {
      const id = JSON.stringify([setting.key, setting.type, setting.options])
      const sum = sums.get(id) ?? { setting, agents: 0, values: new Map<SettingValue, number>() }
      const value = reportedIn(settings, setting.key)
      if (value !== undefined) sum.values.set(value, (sum.values.get(value) ?? 0) + 1)
      sums.set(id, { ...sum, setting: widenBounds(sum.setting, setting), agents: sum.agents + 1 })
    }
  return mostFrequent(sums.values(), maxListed.settings).map(({ setting, agents, values }) => ({
    setting,
    agents,
    values: mostFrequent(
      [...values].map(([value, count]) => ({ value, agents: count })),
      maxListed.values,
    ),
  }))
}

/** Counts the agents that offer each log. */
export function logsOffered(all: Iterable<Iterable<string>>): OfferedLog[] {
  const counts = new Map<string, number>()
  for (const names of all) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const logs = [...counts].map(([name, agents]) => ({ name, agents })).sort((a, b) => (a.name < b.name ? -1 : 1))
  return mostFrequent(logs, maxListed.logs)
}

/** The most frequent items. The sort is stable, so equally frequent items keep their order. */
const mostFrequent = <T extends { agents: number }>(all: Iterable<T>, max: number): T[] =>
  [...all].sort((a, b) => b.agents - a.agents).slice(0, max)

/** The settings without repeated keys: of settings with the same key, the first is used. */
const firstOfEachKey = (schema: readonly Setting[]): Setting[] =>
  [...new Map(schema.toReversed().map((setting) => [setting.key, setting])).values()].reverse()

const reportedIn = (settings: Settings | undefined, key: string): SettingValue | undefined =>
  settings?.values !== undefined && Object.hasOwn(settings.values, key) ? settings.values[key] : undefined

function widenBounds({ min: a, max: b, ...setting }: Setting, { min, max }: Setting): Setting {
  return {
    ...setting,
    ...(a !== undefined && min !== undefined && { min: Math.min(a, min) }),
    ...(b !== undefined && max !== undefined && { max: Math.max(b, max) }),
  }
}
