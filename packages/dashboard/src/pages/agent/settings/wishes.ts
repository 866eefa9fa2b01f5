/** Wishes for settings that are under way, and the last that was answered. */
import type { Command } from '@svc/api'
import type { SettingValue, SettingValues } from '@svc/protocol'
import { isOpen } from '../parts/life.ts'

export interface OpenWish {
  readonly value: SettingValue
  readonly command: Command
}

/** By key what was wished last and is not answered: `set` goes out in order, so the newest has the last word (D5). */
export function openWishes(open: readonly Command[]): Map<string, OpenWish> {
  const wishes = new Map<string, OpenWish>()
  for (const command of [...open].sort((a, b) => a.createdAt - b.createdAt))
    if (command.type === 'set' && isOpen(command))
      for (const [key, value] of Object.entries(command.payload as SettingValues)) wishes.set(key, { value, command })
  return wishes
}

/** The newest answered `set`; undefined while a newer one is under way. */
export function lastSet(ledger: readonly Command[]): Command | undefined {
  const newest = ledger.find(({ type }) => type === 'set')
  return newest && !isOpen(newest) ? newest : undefined
}
