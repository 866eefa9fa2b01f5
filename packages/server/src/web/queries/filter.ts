/** Reads the filters that requests and commands name. */
import { type FilterError, type FilterTerm, filterOfOld, joinFilters, parseFilter } from '@svc/api/filter'
import { Refusal } from '../../platform/refusal.ts'

/** The refusal of a text that is no filter. It says where the wrong part is. */
class FilterInvalid extends Refusal {
  override readonly place: { at: number; length: number }
  constructor({ at, length, message }: FilterError) {
    super('filter_invalid', message)
    this.place = { at, length }
  }
}

type NamedFilter = { q?: string | undefined } & Parameters<typeof filterOfOld>[0]

/** The terms of a request's filter `q` and of the parameters that older clients send instead. Throws FilterInvalid. */
export function filterOf({ q, ...old }: NamedFilter): readonly FilterTerm[] {
  const read = parseFilter(joinFilters(q, filterOfOld(old)))
  if (read.ok) return read.value.terms
  throw new FilterInvalid(read)
}
