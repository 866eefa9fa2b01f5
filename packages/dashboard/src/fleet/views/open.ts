import type { SavedView } from '@svc/api'
import { useNavigate } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { defaultOrder, searchFor } from './state.ts'
import { chooseColumns } from './useColumns.ts'

/** Returns a function that shows the list of agents as a view says. */
export function useOpenView(slug: string): (view: SavedView) => Promise<void> {
  const navigate = useNavigate()
  return ({ id, q, sort, columns }) => {
    if (columns) chooseColumns(columns)
    const search = searchFor({ q, sort: sort ?? defaultOrder })
    return navigate({ to: paths.fleet, params: { slug }, search, state: { view: id } })
  }
}
