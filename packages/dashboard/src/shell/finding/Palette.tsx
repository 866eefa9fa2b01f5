import type { HelpHit } from '@svc/api/help'
/**
 * The palette: one field that finds agents, pages, views, actions and help. Its code is loaded when it is first opened
 * (WorkspaceShell.tsx).
 */

import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import { foldedText, wordSearch } from '@svc/api/filter'
import { trimInvisible } from '@svc/protocol'
import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { IconHelpCircle, IconSearch, IconSend } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Suspense, useEffect, useId, useRef, useState } from 'react'
import { fleetQuery } from '../../data/queries.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { paths } from '../../paths.ts'
import { lazyPart } from '../../ui/files.tsx'
import { isReportOverdue, Level, serviceNow, Text, useFocusBack } from '../../ui/index.ts'
import './palette.css'
import { commandsFor, isCommandFirst, splitTypedCommand } from './commands.ts'
import type { OpenDialog } from './Dialogs.tsx'
import { type PaletteEntry, pressesOf, useEntries, useHelp, viewGroup } from './useEntries.ts'

const Dialogs = lazyPart(async () => ({ default: (await import('./Dialogs.tsx')).Dialogs }))
type EntryGroup = [name: string, entries: PaletteEntry[]]

const [store, { open, close }] = createSpotlight()

/** The maximum number of agents that the palette lists. */
const maxAgents = 8
/** The maximum number of views that the palette lists, those of the workspace first. */
const maxViews = 8

interface PaletteProps {
  slug: string
  /** Called when the field has the focus; returns what was typed before. */
  onReady: () => string
  /** Opens the list of keyboard shortcuts. */
  onKeys: () => void
  onClosed: () => void
}

export function Palette({ slug, onReady, onKeys, onClosed }: PaletteProps) {
  const [text, setText] = useState('')
  const { opened, selected } = useSpotlight(store)
  const list = useId()
  const [dialog, setDialog] = useState<OpenDialog>()
  const isAsking = useRef(false)
  const ask = (which: OpenDialog) => {
    isAsking.current = true
    setDialog(which)
  }
  useFocusBack(true)
  useEffect(() => {
    open()
    return close
  }, [])
  const { role } = useWorkspace()
  const { name: shown } = useParams({ strict: false })
  const agents = useAgents(slug, splitTypedCommand(text).about)
  const commands = role === 'admin' ? commandsFor(text, agents).filter(({ agent }) => agent.name !== shown) : []
  const help = useHelp(text)
  const isFound = wordSearch(text)
  const groups = useEntries({ slug, onKeys, onDialog: ask })
    .map(([name, entries]) => [name, entries.filter(({ words, also }) => isFound([words, also]))] satisfies EntryGroup)
    .map(([name, entries]): EntryGroup => [name, name === viewGroup ? entries.slice(0, maxViews) : entries])
    .filter(([, entries]) => entries.length > 0)
  const isCommand = isCommandFirst(text, agents)
  const ofAgents: EntryGroup = [
    'Commands',
    commands.map((command) => ({ id: command.words, words: command.words, icon: IconSend, run: () => ask(command) })),
  ]
  const before = isCommand && commands.length > 0 ? [ofAgents] : []
  const after = [...(isCommand || commands.length === 0 ? [] : [ofAgents]), ...groups]
  if (help.length > 0) after.push(['Help', help.map(helpEntry)])
  const names = agents.map(({ name }) => name).join()
  // The first entry is selected again whenever the listed entries change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entries change with `text` and `names`
  useEffect(() => store.updateState((state) => ({ ...state, selected: 0 })), [text, names])
  // The Spotlight component clears the selection when it draws the list again, for example with loaded help.
  useEffect(() => {
    if (opened && selected < 0) store.updateState((state) => ({ ...state, selected: 0 }))
  }, [opened, selected])
  const navigate = useNavigate()
  let at = 0
  const option = (id: string) => {
    const index = at++
    return {
      role: 'option',
      'aria-selected': index === selected,
      'data-selected': index === selected || undefined,
      ref: (node: HTMLElement | null) => {
        if (node) node.id = `${list}-${index}`
      },
      key: id,
    }
  }
  const isEmpty = agents.length === 0 && before.length + after.length === 0
  const grouped = ([name, entries]: EntryGroup) => (
    <Spotlight.ActionsGroup key={name} label={name} role="group" aria-label={name}>
      {entries.map((entry) => {
        const { key, ...rest } = option(`${name} ${entry.id}`)
        return <EntryLine key={key} entry={entry} option={rest} />
      })}
    </Spotlight.ActionsGroup>
  )
  if (dialog !== undefined && !opened)
    return (
      <Suspense>
        <Dialogs slug={slug} dialog={dialog} onClosed={onClosed} />
      </Suspense>
    )
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={text}
      onQueryChange={setText}
      clearQueryOnClose={false}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.45 }}
      returnFocus={false}
      onSpotlightClose={() => isAsking.current || onClosed()}
      attributes={{ content: { 'aria-label': 'Find' } }}
      scrollable
      maxHeight={480}
    >
      <Spotlight.Search
        placeholder="Find agents, pages, actions, help"
        aria-label="Find agents, pages, views, actions and help"
        leftSection={<IconSearch size={18} aria-hidden />}
        onFocus={() => setText((now) => now + onReady())}
        role="combobox"
        aria-expanded={!isEmpty}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={opened && !isEmpty ? `${list}-${selected}` : undefined}
      />
      {isEmpty ? (
        <Spotlight.Empty role="status">Nothing found. Try the name of an agent or of a page.</Spotlight.Empty>
      ) : (
        <Spotlight.ActionsList id={list} role="listbox" aria-label="Found">
          {before.map(grouped)}
          {agents.length > 0 && (
            <Spotlight.ActionsGroup label="Agents" role="group" aria-label="Agents">
              {agents.map(({ name, level, label, silentAt, stopped }) => {
                const { key, ...rest } = option(name)
                return (
                  <Spotlight.Action
                    key={key}
                    {...rest}
                    onClick={() => void navigate({ to: paths.agent, params: { slug, name } })}
                  >
                    <Level
                      level={level}
                      never={silentAt === null}
                      offline={isReportOverdue(silentAt, serviceNow())}
                      stopped={stopped !== null}
                      iconOnly
                    />
                    <Text cut>{name}</Text>
                    {label !== null && (
                      <span className="svc-palette-more">
                        <Text cut>{label}</Text>
                      </span>
                    )}
                  </Spotlight.Action>
                )
              })}
            </Spotlight.ActionsGroup>
          )}
          {after.map(grouped)}
        </Spotlight.ActionsList>
      )}
      <div className="svc-palette-keys" aria-hidden>
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd>move
        </span>
        <span>
          <kbd>Enter</kbd>open
        </span>
        <span>
          <kbd>Esc</kbd>close
        </span>
      </div>
    </Spotlight.Root>
  )
}

/** One entry: its icon, its words, and at the end a note or the keyboard shortcut that does the same. */
function EntryLine({ entry, option }: { entry: PaletteEntry; option: object }) {
  const { icon: Icon, words, note, keyName, run } = entry
  return (
    <Spotlight.Action {...option} onClick={() => void run()}>
      <Icon size={16} stroke={1.6} aria-hidden />
      <Text cut>{words}</Text>
      {note !== undefined && (
        <span className="svc-palette-more">
          <Text cut>{note}</Text>
        </span>
      )}
      {keyName && (
        <span className="svc-palette-more" aria-hidden>
          {pressesOf(keyName).map((press) => (
            <kbd key={press}>{press}</kbd>
          ))}
        </span>
      )}
    </Spotlight.Action>
  )
}

const helpEntry = ({ address, heading, document }: HelpHit): PaletteEntry => ({
  id: address,
  words: heading,
  icon: IconHelpCircle,
  ...(document !== heading && { note: document }),
  run: () => window.open(address, '_blank', 'noopener'),
})

/**
 * The agents that the service finds, best names first. Until it answers, the agents found for the previous text stay.
 */
function useAgents(slug: string, text: string) {
  const [search] = useDebouncedValue(trimInvisible(text), 120)
  const { data } = useQuery({
    ...fleetQuery(slug, { search, sort: 'name', desc: false }, 0),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  })
  return trimInvisible(text) === '' || data === undefined ? [] : bestNameMatches(text, data.rows, maxAgents)
}

/**
 * Returns at most `max` agents, those whose names fit best first: the same name, then names that begin with the text,
 * then names with a later word that begins with it, then names that contain it, then all others.
 */
export function bestNameMatches<T extends { name: string }>(typed: string, agents: readonly T[], max: number): T[] {
  const wanted = foldedText(trimInvisible(typed))
  const rank = ({ name }: T) =>
    name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(`-${wanted}`) ? 2 : name.includes(wanted) ? 3 : 4
  return agents
    .map((agent) => ({ agent, at: rank(agent) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, max)
    .map(({ agent }) => agent)
}
