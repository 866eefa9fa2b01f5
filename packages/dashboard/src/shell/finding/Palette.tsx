/**
 * The palette: one field that finds agents, pages, views, actions and help. Its code is loaded when it is first opened
 * (WorkspaceShell.tsx).
 */
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import { trimInvisible } from '@svc/protocol'
import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { titleOf } from '../../actions/dialogs/words.ts'
import { fleetQuery, meQuery, read } from '../../data/queries.ts'
import { useSignOut } from '../../data/session.ts'
import { useOpenView } from '../../fleet/views/open.ts'
import { paths } from '../../paths.ts'
import { dateAndTime, Level, serviceNow, Text, useFocusBack } from '../../ui/index.ts'
import { pageActions } from '../../ui/keys/actions.ts'
import './palette.css'
import { useScheme } from './scheme.ts'

const [store, { open, close }] = createSpotlight()

/** The maximum number of agents that the palette lists. */
const mostAgents = 8
/** The maximum number of views that the palette lists, those of the workspace first. */
const mostViews = 8

const viewGroup = 'Views'

interface PaletteProps {
  slug: string
  /** Called when the field has the focus; returns what was typed before. */
  onReady: () => string
  /** Opens the sheet of keys. */
  onKeys: () => void
  onClosed: () => void
}

interface Entry {
  id: string
  words: string
  /** More text by which the entry is found. */
  also?: string
  run: () => unknown
}

export function Palette({ slug, onReady, onKeys, onClosed }: PaletteProps) {
  const [text, setText] = useState('')
  const { opened, selected } = useSpotlight(store)
  const list = useId()
  useFocusBack(true)
  useEffect(() => {
    open()
    return close
  }, [])
  const agents = useAgents(slug, text)
  const groups = useGroups({ slug, onKeys })
    .map(
      ([name, entries]) =>
        [name, entries.filter(({ words, also }) => fitsWords(text, `${words} ${also ?? ''}`))] as const,
    )
    .map(([name, entries]) => [name, name === viewGroup ? entries.slice(0, mostViews) : entries] as const)
    .filter(([, entries]) => entries.length > 0)
  const names = agents.map(({ name }) => name).join()
  // The first entry is selected again whenever other entries are listed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entries change with both
  useEffect(() => store.updateState((state) => ({ ...state, selected: 0 })), [text, names])
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
  const isEmpty = agents.length === 0 && groups.length === 0
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
      onSpotlightClose={onClosed}
      attributes={{ content: { 'aria-label': 'Find' } }}
      scrollable
      maxHeight={480}
    >
      <Spotlight.Search
        placeholder="Find agents, pages, views and actions"
        aria-label="Find agents, pages, views and actions"
        leftSection={<IconSearch size={18} aria-hidden />}
        onFocus={() => setText((now) => now + onReady())}
        role="combobox"
        aria-expanded={!isEmpty}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={opened && !isEmpty ? `${list}-${selected}` : undefined}
      />
      {isEmpty ? (
        <Spotlight.Empty role="status">Nothing found</Spotlight.Empty>
      ) : (
        <Spotlight.ActionsList id={list} role="listbox" aria-label="Found">
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
                      offline={silentAt !== null && silentAt <= serviceNow()}
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
          {groups.map(([name, entries]) => (
            <Spotlight.ActionsGroup key={name} label={name} role="group" aria-label={name}>
              {entries.map(({ id, words, run }) => {
                const { key, ...rest } = option(id)
                return (
                  <Spotlight.Action key={key} {...rest} onClick={() => void run()}>
                    <Text cut>{words}</Text>
                  </Spotlight.Action>
                )
              })}
            </Spotlight.ActionsGroup>
          ))}
        </Spotlight.ActionsList>
      )}
    </Spotlight.Root>
  )
}

/** The agents that the service finds, best names first. While it searches, the agents of the text before stay. */
function useAgents(slug: string, text: string) {
  const [search] = useDebouncedValue(trimInvisible(text), 120)
  const { data } = useQuery({
    ...fleetQuery(slug, { search, sort: 'name', desc: false }, 0),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  })
  return trimInvisible(text) === '' || data === undefined ? [] : bestNamed(text, data.rows, mostAgents)
}

/** Everything but agents that the palette offers, in groups. */
function useGroups({ slug, onKeys }: { slug: string; onKeys: () => void }): [name: string, entries: Entry[]][] {
  const { data: me } = useSuspenseQuery(meQuery)
  const { data: views = [] } = useQuery(read('GET /w/:slug/views', { slug }))
  const { data: actions } = useQuery(read('GET /w/:slug/actions', { slug }, { limit: 5 }))
  const openView = useOpenView(slug)
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { choose } = useScheme()
  const page = (words: string, to: string): Entry => ({
    id: to,
    words,
    run: () => navigate({ to, params: { slug } }),
  })
  const others = me.workspaces.filter((workspace) => workspace.slug !== slug)
  return [
    ['On this page', pageActions().map(({ words, run }) => ({ id: words, words, run }))],
    [
      'Pages',
      [
        page('Agents', paths.fleet),
        page('Blueprints', paths.blueprints),
        page('Updates', paths.updates),
        page('Alerts', paths.alerts),
        page('Cost', paths.cost),
        page('Bots', paths.bots),
        page('Activity', paths.activity),
        page('Members', paths.members),
        page('My account', paths.account),
        ...others.map(({ slug: other, name }) => ({ ...page(`Workspace ${name}`, `/w/${other}`), also: other })),
      ],
    ],
    [
      viewGroup,
      views.map((view) => ({ id: view.id, words: view.name, also: `view ${view.q}`, run: () => openView(view) })),
    ],
    [
      'Actions',
      [
        ...(actions?.rows ?? []).map((row) => ({
          id: row.id,
          words: `${titleOf(row)}, ${dateAndTime(row.at, serviceNow())}`,
          also: `action ${row.by}`,
          run: () => navigate({ to: paths.action, params: { slug, id: row.id } }),
        })),
        page('All actions', paths.actions),
      ],
    ],
    [
      'More',
      [
        { id: 'help', words: 'Help', run: () => window.open('/help', '_blank', 'noopener') },
        { id: 'keys', words: 'Keys', also: 'shortcuts', run: onKeys },
        { id: 'light', words: 'Light appearance', also: 'theme', run: () => choose('light') },
        { id: 'dark', words: 'Dark appearance', also: 'theme', run: () => choose('dark') },
        { id: 'auto', words: 'Appearance of the system', also: 'theme', run: () => choose('auto') },
        { id: 'out', words: 'Sign out', run: signOut },
      ],
    ],
  ]
}

/** True if every typed word occurs in the text. */
export function fitsWords(typed: string, text: string): boolean {
  const words = typed.toLowerCase().split(/\s+/)
  return words.every((word) => text.toLowerCase().includes(word))
}

/**
 * Returns the agents with the best names for a search first, at most `most`: the name itself, then names that begin
 * with what is typed, then names that contain it, then agents that the service found by something else.
 */
export function bestNamed<T extends { name: string }>(typed: string, agents: readonly T[], most: number): T[] {
  const wanted = trimInvisible(typed).toLowerCase()
  const rank = ({ name }: T) =>
    name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(`-${wanted}`) ? 2 : name.includes(wanted) ? 3 : 4
  return agents
    .map((agent) => ({ agent, at: rank(agent) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ agent }) => agent)
}
