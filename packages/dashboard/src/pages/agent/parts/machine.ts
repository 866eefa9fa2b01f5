/**
 * Two authors, one truth: which of the changes on the machine still hold, so that they are marked where what they changed is
 * shown. One that a later wish from here, or a later change, has taken back is history and is not marked. Pure.
 */
import type { AgentPage, MachineChange } from '@svc/api'

type Page = Pick<AgentPage, 'machineChanges' | 'report' | 'versions'>

const newest = ({ machineChanges }: Page, kind: MachineChange['kind'], key: string | null = null) =>
  machineChanges.find((change) => change.kind === kind && change.key === key)

/** How the runtime names the state of a paused agent (2.11). */
const pausedLabel = 'Paused'

/** The pause or resumption by somebody on the machine that is in force. */
export function pauseByMachine(page: Page): MachineChange | undefined {
  const change = newest(page, 'pause')
  const paused = page.report?.state?.label === pausedLabel
  return change?.after === paused ? change : undefined
}

/** The change of a setting on the machine by which it has its value. */
export function settingByMachine(page: Page, key: string): MachineChange | undefined {
  const change = newest(page, 'setting', key)
  const values = page.report?.settings?.values
  const value = values && Object.hasOwn(values, key) ? values[key] : undefined
  if (!change || value === undefined) return undefined
  // A long text is kept by its beginning only.
  const long = typeof value === 'string' && typeof change.after === 'string' && value.length > 100
  const same = long ? String(change.after).startsWith(value.slice(0, 100)) : change.after === value
  return same ? change : undefined
}

/** The change of version on the machine by which this one runs. */
export function versionByMachine(page: Page): MachineChange | undefined {
  const change = newest(page, 'version')
  const running = page.versions.running ?? page.report?.applied?.version ?? page.report?.agent?.version
  return change && change.after === running ? change : undefined
}
