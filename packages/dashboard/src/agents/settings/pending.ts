/** Finds the settings in pending `set` commands, and the newest `set` command if it has ended. */
import type { ShownCommand } from '@svc/api'
import type { SettingValue, SettingValues } from '@svc/protocol'
import { isPendingCommand } from '../parts/life.ts'

/** The value of a setting in a pending command. */
export interface PendingSetting {
  readonly value: SettingValue
  readonly command: ShownCommand
}

/**
 * Returns the values in pending `set` commands, by key. If several commands set the same key, the newest value counts,
 * because commands are delivered in order (D5).
 */
export function pendingSettings(open: readonly ShownCommand[]): Map<string, PendingSetting> {
  const pending = new Map<string, PendingSetting>()
  for (const command of [...open].sort((a, b) => a.createdAt - b.createdAt))
    if (command.type === 'set' && isPendingCommand(command))
      for (const [key, value] of Object.entries(command.payload as SettingValues)) pending.set(key, { value, command })
  return pending
}

/**
 * Returns the newest `set` command if it has ended, with or without an answer; undefined if it is pending or there is
 * none. A command counts as pending while it is in `open`, even if `ledger`, which may be newer, says that it ended.
 */
export function lastSetCommand(
  ledger: readonly ShownCommand[],
  open: readonly ShownCommand[],
): ShownCommand | undefined {
  const newest = ledger.find(({ type }) => type === 'set')
  const isPending = newest && (isPendingCommand(newest) || open.some(({ id }) => id === newest.id))
  return isPending ? undefined : newest
}
