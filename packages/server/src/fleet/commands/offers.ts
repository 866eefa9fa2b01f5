/** Sums up what agents offer, so that a person can choose one command for many of them. */
import type { OfferedLog, OfferedSetting } from '@svc/api'
import type { Setting, Settings, SettingValue } from '@svc/protocol'

/** The maximum number of settings and logs in an answer, and of values of one setting. */
const most = { settings: 200, logs: 500, values: 3 } as const

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
      sums.set(id, { ...sum, setting: widest(sum.setting, setting), agents: sum.agents + 1 })
    }
  return mostFrequent(sums.values(), most.settings).map(({ setting, agents, values }) => ({
    setting,
    agents,
    values: mostFrequent(
      [...values].map(([value, count]) => ({ value, agents: count })),
      most.values,
    ),
  }))
}

/** Counts the agents that offer each log. */
export function logsOffered(all: Iterable<Iterable<string>>): OfferedLog[] {
  const counts = new Map<string, number>()
  for (const names of all) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const logs = [...counts].map(([name, agents]) => ({ name, agents })).sort((a, b) => (a.name < b.name ? -1 : 1))
  return mostFrequent(logs, most.logs)
}

/** The sort is stable: what is equally frequent keeps its order. */
const mostFrequent = <T extends { agents: number }>(all: Iterable<T>, max: number): T[] =>
  [...all].sort((a, b) => b.agents - a.agents).slice(0, max)

/** If two settings have the same key, the first is used. */
const firstOfEachKey = (schema: readonly Setting[]): Setting[] =>
  [...new Map(schema.toReversed().map((setting) => [setting.key, setting])).values()].reverse()

const reportedIn = (settings: Settings | undefined, key: string): SettingValue | undefined =>
  settings?.values !== undefined && Object.hasOwn(settings.values, key) ? settings.values[key] : undefined

function widest({ min: a, max: b, ...setting }: Setting, { min, max }: Setting): Setting {
  return {
    ...setting,
    ...(a !== undefined && min !== undefined && { min: Math.min(a, min) }),
    ...(b !== undefined && max !== undefined && { max: Math.max(b, max) }),
  }
}
