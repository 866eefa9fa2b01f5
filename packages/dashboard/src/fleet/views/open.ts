import type { SavedView } from '@svc/api'
import { useNavigate } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { defaultOrder, searchFor } from './state.ts'
import { chooseColumns } from './useColumns.ts'

/** Returns a function that opens a view: it shows the list of agents with the view's filter, order and columns. */
export function useOpenView(slug: string): (view: SavedView) => Promise<void> {
  const navigate = useNavigate()
  return ({ id, q, sort, columns }) => {
    if (columns) chooseColumns(columns)
    const search = searchFor({ q, sort: sort ?? defaultOrder })
    return navigate({ to: paths.fleet, params: { slug }, search, state: { view: id } })
  }
}
