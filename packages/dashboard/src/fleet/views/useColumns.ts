/** The columns of the list of agents that a person chose. This browser remembers them, for all workspaces. */
import type { FleetColumn } from '@svc/api'
import { useSyncExternalStore } from 'react'
import { defaultColumns, readColumns } from './columns.ts'

const storedAs = 'svc-columns'
const listeners = new Set<() => void>()
let chosen: readonly FleetColumn[] | undefined

function stored(): readonly FleetColumn[] {
  try {
    return readColumns(JSON.parse(localStorage.getItem(storedAs) ?? 'null')) ?? defaultColumns
  } catch {
    return defaultColumns
  }
}

const current = (): readonly FleetColumn[] => {
  chosen ??= stored()
  return chosen
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function chooseColumns(columns: readonly FleetColumn[]): void {
  chosen = readColumns(columns) ?? defaultColumns
  try {
    localStorage.setItem(storedAs, JSON.stringify(chosen))
  } catch {
    // If the browser forbids storage, the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener()
}

export const useColumns = (): readonly FleetColumn[] => useSyncExternalStore(listen, current)
