/**
 * The filter of agents, one text that the service, the command line and the page read alike, and the rules of tags.
 * The page loads this part of the package without the operations.
 */
export {
  type Chip,
  chips,
  filterOfOld,
  fitsChip,
  joinFilters,
  onlyChips,
  pressChip,
  pressedChip,
  quoteWord,
  withoutChips,
} from './chips.ts'
export { type FilterFacts, isOffline, levelOf } from './facts.ts'
export { type Grouping, groupings, groupValuesOf, mapStateOf, mapStates } from './groups.ts'
export { type FilterKey, filterKeys } from './keys.ts'
export { foldedText, plainText, typedWords, wordSearch } from './look.ts'
export { type Filter, type FilterError, type FilterTerm, parseFilter } from './parse.ts'
export { parseRuleFilter } from './rule-filter.ts'
export { filterTest, idleTerms, judgeOf } from './selects.ts'
export { changedTags, maxTags, splitTags, type TagChange, wrongTag } from './tags.ts'
