// biome-ignore-all lint/a11y/useSemanticElements: the field keeps the focus, so the list cannot be a <select>
// biome-ignore-all lint/a11y/useFocusableInteractive: see above
import { parseFilter } from '@svc/api/filter'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { read } from '../../data/queries.ts'
import { Text } from '../../ui/index.ts'
import { completed, type Suggestion, suggestions, typingAt, wantsFacets } from './suggest.ts'

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
  const typing = typingAt(text, caret)
  const rest = typing?.rest ?? ''
  const q = parseFilter(rest).ok ? rest : ''
  const { data: facets } = useQuery({
    ...read('GET /w/:slug/fleet/facets', { slug }, { q }),
    enabled: typing !== undefined && wantsFacets(typing),
  })
  const all = typing ? suggestions(typing, facets) : []
  const active = all[at] && `${id}-${at}`
  const isShown = all.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: other suggestions begin without a choice
  useEffect(() => setAt(-1), [text, caret])
  useEffect(() => {
    onList(isShown ? { id, active } : undefined)
    return () => onList(undefined)
  }, [id, active, isShown, onList])
  const take = (suggestion: Suggestion) => {
    if (!typing) return
    const next = completed(text, typing, suggestion)
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
