/** Settings that were sent and are not answered yet, and the newest `set` command if it has ended. */
import type { Command } from '@svc/api'
import type { SettingValue, SettingValues } from '@svc/protocol'
import { isOpen } from '../parts/life.ts'

export interface PendingSetting {
  readonly value: SettingValue
  readonly command: Command
}

/**
 * The values that were sent and not answered yet, by key. If a setting was sent several times, the last value counts,
 * because commands are delivered in order (D5).
 */
export function pendingSettings(open: readonly Command[]): Map<string, PendingSetting> {
  const pending = new Map<string, PendingSetting>()
  for (const command of [...open].sort((a, b) => a.createdAt - b.createdAt))
    if (command.type === 'set' && isOpen(command))
      for (const [key, value] of Object.entries(command.payload as SettingValues)) pending.set(key, { value, command })
  return pending
}

/**
 * The newest `set` command if it has ended, with or without an answer; undefined while it is pending, or if there is
 * none.
 */
export function lastSet(ledger: readonly Command[]): Command | undefined {
  const newest = ledger.find(({ type }) => type === 'set')
  return newest && !isOpen(newest) ? newest : undefined
}
