// biome-ignore-all lint/a11y/useSemanticElements: the field keeps the focus, so the list cannot be a <select>
// biome-ignore-all lint/a11y/useFocusableInteractive: see above
import type { FleetFacets } from '@svc/api'
import { type FilterKey, filterKeys, foldedText, parseFilter, plainText, quoteWord } from '@svc/api/filter'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { read } from '../../data/queries.ts'
import { Text } from '../../ui/index.ts'

interface SuggestionsProps {
  slug: string
  /** The text in the field, and where the caret is in it. */
  text: string
  caret: number
  /** Gets the function that handles the keys of the field. It returns true if the list used the key. */
  keys: { current: ((key: string) => boolean) | undefined }
  /** Called with the id of the list while it is shown, and the id of the suggestion that the keys chose. */
  onList: (list: { id: string; active: string | undefined } | undefined) => void
  /** Called with the text after a suggestion was taken, and where the caret then is. */
  onTake: (text: string, caret: number) => void
}

/** Suggests how the part of the filter that is being typed may go on. */
export default function Suggestions({ slug, text, caret, keys, onList, onTake }: SuggestionsProps) {
  const id = useId()
  const [at, setAt] = useState(-1)
  const typing = typedPartAt(text, caret)
  const rest = typing?.rest ?? ''
  const q = parseFilter(rest).ok ? rest : ''
  const { data: facets } = useQuery({
    ...read('GET /w/:slug/fleet/facets', { slug }, { q }),
    enabled: typing !== undefined && wantsFacets(typing),
  })
  const all = typing ? suggestionsFor(typing, facets) : []
  const active = all[at] && `${id}-${at}`
  const isShown = all.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the text or caret clears the choice
  useEffect(() => setAt(-1), [text, caret])
  useEffect(() => {
    onList(isShown ? { id, active } : undefined)
    return () => onList(undefined)
  }, [id, active, isShown, onList])
  const take = (suggestion: Suggestion) => {
    if (!typing) return
    const next = withSuggestion(text, typing, suggestion)
    onTake(next.text, next.caret)
  }
  useEffect(() => {
    keys.current = (key) => {
      const chosen = all[at]
      if (key === 'ArrowDown' && isShown) setAt(Math.min(at + 1, all.length - 1))
      else if (key === 'ArrowUp' && isShown) setAt(Math.max(at - 1, -1))
      else if ((key === 'Enter' || key === 'Tab') && chosen) take(chosen)
      else return false
      return true
    }
    return () => {
      keys.current = undefined
    }
  })
  if (!isShown) return null
  return (
    <div id={id} role="listbox" aria-label="Suggestions" className="fleet-suggestions">
      {all.map((suggestion, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        <div
          key={suggestion.insert}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === at}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(suggestion)}
        >
          <Text>{suggestion.insert}</Text>
          {suggestion.note !== '' && (
            <span className="fleet-note">
              <Text cut>{suggestion.note}</Text>
            </span>
          )}
        </div>
      ))}
    </div>
  )
}

/** The part of a filter that is being typed: the text from `from` to `to`, which a suggestion replaces. */
interface TypedPart {
  from: number
  to: number
  /** The key before the value; undefined while a key or a word is typed. */
  key: FilterKey | undefined
  typed: string
  /** The filter without the term that is being typed. */
  rest: string
}

interface Suggestion {
  /** The text that replaces what was typed. */
  insert: string
  note: string
}

const maxSuggestions = 8
const isSpace = (c: string | undefined) => c === undefined || /\s/.test(c)

/** Finds the part of a filter at the caret; undefined within quotation marks and after an unknown key. */
export function typedPartAt(written: string, caret: number): TypedPart | undefined {
  const text = plainText(written)
  const start = termStart(text, caret)
  if (start === undefined) return undefined
  const end = endOf(text, caret, isSpace)
  const rest = `${text.slice(0, start)}${text.slice(end)}`.trim()
  const from = text[start] === '-' ? start + 1 : start
  const colon = text.slice(from, caret).indexOf(':')
  if (colon < 0) {
    const to = endOf(text, caret, (c) => isSpace(c) || c === ':')
    return { from, to: text[to] === ':' ? to + 1 : to, key: undefined, typed: text.slice(from, caret), rest }
  }
  const name = text.slice(from, from + colon).toLowerCase()
  const key = (Object.keys(filterKeys) as FilterKey[]).find((one) => one === name)
  if (!key) return undefined
  const value = Math.max(from + colon, text.lastIndexOf(',', caret - 1)) + 1
  const to = endOf(text, caret, (c) => isSpace(c) || c === ',')
  return { from: value, to, key, typed: text.slice(value, caret), rest }
}

/** The beginning of the term at the caret; undefined if the caret is between quotation marks. */
function termStart(text: string, caret: number): number | undefined {
  let start = 0
  let isQuoted = false
  for (let at = 0; at < caret; at++) {
    if (isQuoted && text[at] === '\\') at++
    else if (text[at] === '"') isQuoted = !isQuoted
    else if (!isQuoted && isSpace(text[at])) start = at + 1
  }
  return isQuoted ? undefined : start
}

function endOf(text: string, from: number, isEnd: (c: string | undefined) => boolean): number {
  let at = from
  while (at < text.length && !isEnd(text[at])) at++
  return at
}

const isFacet = (key: FilterKey): key is keyof FleetFacets & FilterKey =>
  ['tag', 'host', 'blueprint', 'version'].includes(key)

/** True if the service knows the values of the key that is being typed. */
const wantsFacets = ({ key }: TypedPart): boolean => key !== undefined && isFacet(key)

/** Returns what could replace the part that is being typed. Keys are offered once a letter is typed, values at once. */
export function suggestionsFor({ key, typed }: TypedPart, facets: FleetFacets | undefined): Suggestion[] {
  const begun = foldedText(typed)
  if (key === undefined) {
    if (begun === '') return []
    const found = Object.entries(filterKeys).filter(([name]) => name.startsWith(begun))
    return found.map(([name, { takes }]) => ({ insert: `${name}:`, note: takes }))
  }
  const words = filterKeys[key].words
    ?.filter((word) => word.startsWith(begun))
    .map((word) => ({ insert: word, note: '' }))
  const values = isFacet(key) ? (facets?.[key] ?? []) : []
  const known = values
    .filter(({ value }) => foldedText(value).startsWith(begun))
    .map(({ value, agents }) => ({ insert: writtenValue(value), note: agents.toLocaleString('en-US') }))
  return [...(words ?? []), ...known].filter(({ insert }) => foldedText(insert) !== begun).slice(0, maxSuggestions)
}

/** A value as it is written after a key, in quotation marks if it needs them. */
const writtenValue = (value: string): string => (/[\s",*]|^[<>=]|^$/.test(value) ? quoteWord(value) : value)

/** The text after a suggestion was taken, and where the caret then is. */
export function withSuggestion(
  text: string,
  { from, to }: TypedPart,
  { insert }: Suggestion,
): { text: string; caret: number } {
  return { text: `${text.slice(0, from)}${insert}${text.slice(to)}`, caret: from + insert.length }
}
