/**
 * The filter of agents: one text, read and applied by the service, the command line and the page alike; and the rules
 * of the tags by which it selects. This is an export of its own, so that the page loads it without the operations.
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
