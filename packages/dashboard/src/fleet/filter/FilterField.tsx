import { ActionIcon, TextInput } from '@mantine/core'
import { type FilterError, parseFilter } from '@svc/api/filter'
import { IconHelp, IconSearch } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import { type KeyboardEvent, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { lazyPart } from '../../ui/files.tsx'
import { useAddressText } from '../../ui/forms/useAddressText.ts'
import { focusList, Text } from '../../ui/index.ts'
import { useKey } from '../../ui/keys/useKeys.ts'
import { entryAfterChange } from '../views/opened.ts'
import type { FleetSearch } from '../views/state.ts'

const Suggestions = lazyPart(() => import('./Suggestions.tsx'))
const FilterHelp = lazyPart(() => import('./FilterHelp.tsx'))

const route = getRouteApi('/signed-in/w/$slug/')

/** The milliseconds after the last key until a valid filter is applied, or an error is shown for an invalid one. */
const pause = { right: 200, wrong: 600 } as const

/** The id of the sentence about a mistake in the filter. */
const mistakeId = 'fleet-mistake'

/** Gives other parts of the page the text in the field, which the address may not have yet. `settle` puts it there. */
export type TypingRef = { current: { text: string; settle: () => void } | undefined }

/**
 * The field with the filter of the list. Shortly after the last key, the address gets the text, valid or not, so
 * nothing that was typed is lost. Enter and the arrow down move the focus to the list if the filter is valid.
 */
export function FilterField({ slug, typing }: { slug: string; typing: TypingRef }) {
  const { typed, settled, type, settle } = useTypedFilter(route.useSearch(), typing)
  /** The position of the caret in the text while suggestions may be shown. */
  const [at, setAt] = useState<number>()
  const [list, setList] = useState<{ id: string; active: string | undefined }>()
  const [helped, setHelped] = useState<boolean>()
  const input = useRef<HTMLInputElement>(null)
  const caret = useRef<number>(undefined)
  const keysOfList = useRef<(key: string) => boolean>(undefined)
  const read = settled === typed ? parseFilter(typed) : undefined
  const mistake = read?.ok === false ? read : undefined
  useKey('search', () => input.current?.select())
  useLayoutEffect(() => {
    if (caret.current !== undefined) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })
  const change = (text: string, to: number) => {
    type(text)
    setAt(to)
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (keysOfList.current?.(event.key)) return event.preventDefault()
    if (event.key === 'Enter' || event.key === 'ArrowDown') {
      settle(typed)
      setAt(undefined)
      if (parseFilter(typed).ok) focusList()
    }
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (list) return setAt(undefined)
    settle('')
  }
  return (
    <div className="fleet-field">
      <TextInput
        ref={input}
        className="fleet-search"
        type="search"
        role="combobox"
        aria-label="Filter agents"
        aria-keyshortcuts="/"
        error={mistake !== undefined}
        aria-describedby={mistake && mistakeId}
        aria-expanded={list !== undefined}
        aria-controls={list?.id}
        aria-autocomplete="list"
        aria-activedescendant={list?.active}
        autoComplete="off"
        spellCheck={false}
        placeholder="Filter: mail level:bad host:build-*"
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={<kbd className="fleet-key">/</kbd>}
        value={typed}
        inputContainer={(field) => (
          <div className="fleet-typed">
            {field}
            {mistake && <Underline text={typed} mistake={mistake} input={input} />}
          </div>
        )}
        onChange={({ currentTarget: { value, selectionStart } }) => change(value, selectionStart ?? value.length)}
        onKeyDown={press}
        onBlur={() => setAt(undefined)}
      />
      <ActionIcon variant="subtle" color="gray" aria-label="What a filter can say" onClick={() => setHelped(true)}>
        <IconHelp size={17} aria-hidden />
      </ActionIcon>
      <Suspense>
        {at !== undefined && (
          <Suggestions
            slug={slug}
            text={typed}
            caret={at}
            keys={keysOfList}
            onList={setList}
            onTake={(text, to) => {
              caret.current = to
              change(text, to)
            }}
          />
        )}
        {helped !== undefined && <FilterHelp opened={helped} onClose={() => setHelped(false)} />}
      </Suspense>
    </div>
  )
}

function useTypedFilter(search: FleetSearch, typing: TypingRef) {
  const navigate = route.useNavigate()
  const field = useAddressText({
    text: search.q ?? '',
    pauseAfter: (text) => (parseFilter(text).ok ? pause.right : pause.wrong),
    tell: (text) =>
      void navigate({
        search: ({ q: _, ...rest }: FleetSearch) => (text === '' ? rest : { ...rest, q: text }),
        state: entryAfterChange({ ...search, q: text }),
        replace: true,
        resetScroll: false,
      }),
  })
  const { typed, settle } = field
  useEffect(() => {
    typing.current = { text: typed, settle: () => settle(typed) }
  })
  return field
}

interface UnderlineProps {
  text: string
  mistake: FilterError
  input: { readonly current: HTMLInputElement | null }
}

/** Underlines the wrong part of the text. The line is drawn over the field and scrolls with the text. */
function Underline({ text, mistake: { at, length }, input }: UnderlineProps) {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const field = input.current
    const follow = () => setLeft(field?.scrollLeft ?? 0)
    follow()
    field?.addEventListener('scroll', follow)
    return () => field?.removeEventListener('scroll', follow)
  }, [input])
  return (
    <div className="fleet-underline" aria-hidden>
      <span style={{ transform: `translateX(${-left}px)` }}>
        {text.slice(0, at)}
        <mark>{text.slice(at, at + length) || ' '}</mark>
      </span>
    </div>
  )
}

/** Says what is wrong with the filter, and what the list shows meanwhile. */
export const FilterMistake = ({ error, applied }: { error: FilterError; applied: string }) => (
  <p id={mistakeId} className="fleet-mistake" role="status">
    <strong>Not applied.</strong> <Text>{error.message}</Text>{' '}
    {applied === '' ? (
      'The list shows all agents.'
    ) : (
      <>
        The list still shows <Text mono>{applied}</Text>.
      </>
    )}
  </p>
)
