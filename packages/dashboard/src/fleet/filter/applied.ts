/** The filter that is applied to the list of agents. */
import { type Filter, type FilterError, parseFilter } from '@svc/api/filter'

const everything: Filter = { text: '', terms: [] }
/** The last valid filter of each workspace. The list keeps it while the text in the address is wrong. */
const last = new Map<string, Filter>()

interface AppliedFilter {
  filter: Filter
  /** The mistake in the text of the address, if it is invalid. `filter` is then the last valid filter. */
  error: FilterError | undefined
}

/** The filter that the list applies for the text `q` in the address. */
export function appliedFilter(slug: string, q = ''): AppliedFilter {
  const read = parseFilter(q)
  return read.ok ? { filter: read.value, error: undefined } : { filter: last.get(slug) ?? everything, error: read }
}

/** Remembers a valid filter, which stays applied while the text in the address is invalid. */
export const noteAppliedFilter = (slug: string, filter: Filter): void => void last.set(slug, filter)
