import { getRouteApi } from '@tanstack/react-router'
import { entryAfterChange } from './opened.ts'
import { type FleetListChoice, orderText, searchFor } from './state.ts'
import { chooseColumns, useColumns } from './useColumns.ts'

const route = getRouteApi('/signed-in/w/$slug/')

/**
 * The list as the person chose it, and the function that changes it. The filter and the order are in the address, the
 * columns in this browser.
 */
export function useFleetListChoice(): { state: FleetListChoice; show: (next: Partial<FleetListChoice>) => void } {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const columns = useColumns()
  const state = { q: search.q ?? '', sort: orderText(search), columns }
  const show = (next: Partial<FleetListChoice>) => {
    if (next.columns) chooseColumns(next.columns)
    if (next.q !== undefined || next.sort !== undefined) {
      const search = searchFor({ ...state, ...next })
      void navigate({ search, state: entryAfterChange(search), resetScroll: false })
    }
  }
  return { state, show }
}
