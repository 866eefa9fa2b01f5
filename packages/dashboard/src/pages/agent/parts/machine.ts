/**
 * Finds the changes made on the machine that still hold, so that they are marked next to the changed value. A change
 * that a later command or a later change replaced is history and is not marked. Pure.
 */
import type { AgentPage, MachineChange } from '@svc/api'

type Page = Pick<AgentPage, 'machineChanges' | 'report' | 'versions'>

const newest = ({ machineChanges }: Page, kind: MachineChange['kind'], key: string | null = null) =>
  machineChanges.find((change) => change.kind === kind && change.key === key)

/** The runtime's label for a paused agent (2.11). */
const pausedLabel = 'Paused'

/**
 * The change on the machine by which the agent is now paused, or not paused; undefined if it was not a change there.
 */
export function pauseByMachine(page: Page): MachineChange | undefined {
  const change = newest(page, 'pause')
  const paused = page.report?.state?.label === pausedLabel
  return change?.after === paused ? change : undefined
}

/** The change on the machine that gave a setting its present value. */
export function settingByMachine(page: Page, key: string): MachineChange | undefined {
  const change = newest(page, 'setting', key)
  const values = page.report?.settings?.values
  const value = values && Object.hasOwn(values, key) ? values[key] : undefined
  if (!change || value === undefined) return undefined
  // The service stores only the beginning of a long text in a change, so only that is compared.
  const long = typeof value === 'string' && typeof change.after === 'string' && value.length > 100
  const same = long ? String(change.after).startsWith(value.slice(0, 100)) : change.after === value
  return same ? change : undefined
}

/** The change on the machine that brought the version that runs now. */
export function versionByMachine(page: Page): MachineChange | undefined {
  const change = newest(page, 'version')
  const running = page.versions.running ?? page.report?.applied?.version ?? page.report?.agent?.version
  return change && change.after === running ? change : undefined
}
