/** The columns of the list of agents that a person chose. This browser remembers them, for all workspaces. */
import type { FleetColumn } from '@svc/api'
import { sharedValue } from '../../ui/shared-value.ts'
import { defaultColumns, readColumns } from './columns.ts'

const storedAs = 'svc-columns'

function readStoredColumns(): readonly FleetColumn[] {
  try {
    return readColumns(JSON.parse(localStorage.getItem(storedAs) ?? 'null')) ?? defaultColumns
  } catch {
    return defaultColumns
  }
}

const chosen = sharedValue(readStoredColumns())

/** Changes the columns of the list, and remembers them in this browser. */
export function chooseColumns(columns: readonly FleetColumn[]): void {
  const read = readColumns(columns) ?? defaultColumns
  try {
    localStorage.setItem(storedAs, JSON.stringify(read))
  } catch {
    // If the browser forbids storage, the choice lasts until the page is closed.
  }
  chosen.set(read)
}

/** Returns the columns that the person chose. */
export const useColumns = chosen.useValue
