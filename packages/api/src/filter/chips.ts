/** The chips above the list of agents, and the filters in addresses that earlier versions of the page made. */
import type { FleetCounts } from '../answers/fleet.ts'
import type { FilterFacts } from './facts.ts'
import { type FilterTest, filterKeys } from './keys.ts'
import type { Filter, FilterTerm } from './parse.ts'

/** A chip above the list of agents, which stands for a level or another state. */
export type Chip = Exclude<keyof FleetCounts, 'all'>
/** The term that a press on each chip puts into the filter. */
const chipTerms = {
  bad: ['level', 'bad'],
  warn: ['level', 'warn'],
  info: ['level', 'info'],
  ok: ['level', 'ok'],
  silent: ['is', 'offline'],
  stopped: ['is', 'stopped'],
  never: ['is', 'never'],
} as const satisfies Record<Chip, readonly ['level' | 'is', string]>
/** All chips, in their order. */
export const chips = Object.keys(chipTerms) as Chip[]

/** The term of a chip as people write it, such as `level:bad`. */
const chipTerm = (chip: Chip): string => chipTerms[chip].join(':')

const isOfChips = ({ key, negated }: FilterTerm): boolean => !negated && (key === 'level' || key === 'is')

/** The terms that a press on a chip replaces. */
export const onlyChips = (terms: readonly FilterTerm[]): FilterTerm[] => terms.filter(isOfChips)

/** The terms that stay whichever chip is pressed. */
export const withoutChips = (terms: readonly FilterTerm[]): FilterTerm[] => terms.filter((term) => !isOfChips(term))

/** The text of the filter after a press on a chip; undefined stands for "All". */
export function pressChip({ text, terms }: Filter, chip: Chip | undefined): string {
  const kept = withoutChips(terms).map(({ at, length }) => text.slice(at, at + length))
  return joinFilters(...kept, chip && chipTerm(chip))
}

/** The chip that is pressed for a filter: `all` if the filter has no term of a chip, undefined if no chip fits. */
export function pressedChip({ terms }: Filter): Chip | 'all' | undefined {
  const [term, ...others] = onlyChips(terms)
  if (!term) return 'all'
  const [value, ...more] = term.values
  if (others.length > 0 || more.length > 0) return undefined
  return chips.find((chip) => chipTerms[chip][0] === term.key && chipTerms[chip][1] === value?.text)
}

/** The tests of the chips. */
const chipTests = Object.fromEntries(
  chips.map((chip) => {
    const [key, text] = chipTerms[chip]
    return [chip, filterKeys[key].read?.([{ operator: undefined, text, quoted: false }])]
  }),
) as Readonly<Record<Chip, FilterTest>>

/** True if an agent is counted by a chip. */
export const fitsChip = (chip: Chip, agent: FilterFacts, now: number): boolean => chipTests[chip](agent, now)

/** Puts a text into quotation marks, as one word or value. */
export const quoteWord = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

/** Joins texts of filters; all of them must hold. */
export const joinFilters = (...texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join(' ')

/** The parameters of earlier versions that selected agents. */
interface OldParameters {
  search?: string | undefined
  level?: string | undefined
  silent?: boolean | undefined
  stopped?: boolean | undefined
}

/** The text of the filter that selects what the parameters of earlier versions select. */
export function filterOfOld({ search = '', level, silent, stopped }: OldParameters): string {
  const term = (chip: Chip, isWanted: boolean | undefined) =>
    isWanted === undefined ? undefined : `${isWanted ? '' : '-'}${chipTerm(chip)}`
  const chip = chips.find((one) => one === level)
  return joinFilters(
    search.trim() === '' ? undefined : quoteWord(search.trim()),
    chip && chipTerm(chip),
    term('silent', silent),
    term('stopped', stopped),
  )
}
