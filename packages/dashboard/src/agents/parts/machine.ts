/**
 * Finds the changes made on the agent's machine whose new value is still the present one, so that the page can mark
 * these values.
 */
import type { AgentPage, MachineChange } from '@svc/api'
import { pausedLabel } from '@svc/protocol'

type MachinePage = Pick<AgentPage, 'machineChanges' | 'report' | 'versions'>

const newestChange = ({ machineChanges }: MachinePage, kind: MachineChange['kind'], key: string | null = null) =>
  machineChanges.find((change) => change.kind === kind && change.key === key)

/** True if the last report of the agent says that it is paused. */
export const isPaused = ({ report }: Pick<MachinePage, 'report'>): boolean => report?.state?.label === pausedLabel

/**
 * Returns the change on the machine that paused the agent or, if the agent is not paused, resumed it. Undefined if the
 * present state does not come from such a change.
 */
export function pauseByMachine(page: MachinePage): MachineChange | undefined {
  const change = newestChange(page, 'pause')
  return change?.after === isPaused(page) ? change : undefined
}

/** Returns the change on the machine that gave a setting its present value; undefined if there is none. */
export function settingByMachine(page: MachinePage, key: string): MachineChange | undefined {
  const change = newestChange(page, 'setting', key)
  const values = page.report?.settings?.values
  const value = values && Object.hasOwn(values, key) ? values[key] : undefined
  if (!change || value === undefined) return undefined
  // The service stores only the beginning of a long text in a change, so only the beginning is compared.
  const long = typeof value === 'string' && typeof change.after === 'string' && value.length > 100
  const same = long ? String(change.after).startsWith(value.slice(0, 100)) : change.after === value
  return same ? change : undefined
}

/** Returns the change on the machine that brought the version that now runs; undefined if there is none. */
export function versionByMachine(page: MachinePage): MachineChange | undefined {
  const change = newestChange(page, 'version')
  const running = page.versions.running ?? page.report?.applied?.version ?? page.report?.agent?.version
  return change && change.after === running ? change : undefined
}
