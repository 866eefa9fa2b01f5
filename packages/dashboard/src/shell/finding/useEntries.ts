/** The entries of the palette, apart from agents and their commands, and its search in the help. */
import { type HelpHit, type HelpIndex, helpFor } from '@svc/api/help'
import { trimInvisible } from '@svc/protocol'
import {
  IconBell,
  IconBolt,
  IconBookmark,
  IconCoins,
  IconDeviceDesktop,
  IconHelpCircle,
  IconHistory,
  IconKeyboard,
  IconListCheck,
  IconLogout,
  IconMoon,
  IconPackage,
  IconPlus,
  IconRefreshDot,
  IconRobot,
  IconServer2,
  IconSettings,
  IconSun,
  IconUserCircle,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { actionTitleOf } from '../../actions/dialogs/words.ts'
import { meQuery, read } from '../../data/queries.ts'
import { useSignOut } from '../../data/session.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { useOpenView } from '../../fleet/views/open.ts'
import { paths } from '../../paths.ts'
import { dateAndTime, serviceNow } from '../../ui/index.ts'
import { pageActions } from '../../ui/keys/actions.ts'
import { type KeyName, keyTable } from '../../ui/keys/keys.ts'
import { useScheme } from './scheme.ts'

type Icon = ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: boolean }>

/** An entry of the palette. */
export interface PaletteEntry {
  id: string
  words: string
  icon: Icon
  /** More text by which the entry is found. */
  also?: string
  /** Quiet text at the end of the entry. */
  note?: string
  /** The keyboard shortcut that does the same. */
  keyName?: KeyName
  run: () => unknown
}

/** The keys to press for a keyboard shortcut, such as `g` and `a`; empty if it works only on a row of the list. */
export const pressesOf = (name: KeyName): readonly string[] =>
  keyTable.flatMap((key) => (key.does === name && 'press' in key ? key.press[0].split(' ') : []))

/** The heading of the group with the views. */
export const viewGroup = 'Views'

interface EntriesProps {
  slug: string
  /** Opens the list of keyboard shortcuts. */
  onKeys: () => void
  /** Opens the dialog that invites somebody, or the one that adds a channel. */
  onDialog: (dialog: 'invite' | 'channel') => void
}

/** Returns the entries in groups. */
export function useEntries({ slug, onKeys, onDialog }: EntriesProps): [name: string, entries: PaletteEntry[]][] {
  const { role } = useWorkspace()
  const { data: me } = useSuspenseQuery(meQuery)
  const { data: views = [] } = useQuery(read('GET /w/:slug/views', { slug }))
  const { data: actions } = useQuery(read('GET /w/:slug/actions', { slug }, { limit: 5 }))
  const openView = useOpenView(slug)
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { choose } = useScheme()
  const page = (
    words: string,
    icon: Icon,
    to: string,
    more: Pick<PaletteEntry, 'keyName' | 'also'> = {},
  ): PaletteEntry => ({
    id: to,
    words,
    icon,
    ...more,
    run: () => navigate({ to, params: { slug } }),
  })
  const others = me.workspaces.filter((workspace) => workspace.slug !== slug)
  return [
    ['On this page', pageActions().map(({ words, run }) => ({ id: words, words, icon: IconBolt, run }))],
    [
      'Pages',
      [
        page('Agents', IconServer2, paths.fleet, { keyName: 'agents' }),
        page('Blueprints', IconPackage, paths.blueprints),
        page('Updates', IconRefreshDot, paths.updates, { keyName: 'updates' }),
        page('Alerts', IconBell, paths.alerts, { keyName: 'alerts' }),
        page('Cost', IconCoins, paths.cost),
        page('Bots', IconRobot, paths.bots, { also: 'products' }),
        page('Activity', IconHistory, paths.activity),
        page('Members', IconUsers, paths.members, { also: 'people invitations' }),
        page('Settings', IconSettings, paths.settings, { also: 'workspace name second factor delete rename' }),
        page('My account', IconUserCircle, paths.account),
        ...others.map(({ slug: other, name }) =>
          page(`Workspace ${name}`, IconServer2, `/w/${other}`, { also: other }),
        ),
      ],
    ],
    [
      'Add',
      role === 'admin'
        ? [
            page('Add agent', IconPlus, paths.add, { also: 'new connect' }),
            {
              id: 'invite',
              words: 'Invite someone',
              also: 'members',
              icon: IconUserPlus,
              run: () => onDialog('invite'),
            },
            { id: 'channel', words: 'Add channel', also: 'alerts', icon: IconBell, run: () => onDialog('channel') },
          ]
        : [],
    ],
    [
      viewGroup,
      views.map((view) => ({
        id: view.id,
        words: view.name,
        icon: IconBookmark,
        also: `view ${view.q}`,
        run: () => openView(view),
      })),
    ],
    [
      'Actions',
      [
        ...(actions?.rows ?? []).map((row) => ({
          id: row.id,
          words: `${actionTitleOf(row)}, ${dateAndTime(row.at, serviceNow())}`,
          also: `action ${row.by}`,
          icon: IconListCheck,
          run: () => navigate({ to: paths.action, params: { slug, id: row.id } }),
        })),
        page('All actions', IconListCheck, paths.actions),
      ],
    ],
    [
      'More',
      [
        { id: 'help', icon: IconHelpCircle, words: 'Help', run: () => window.open('/help', '_blank', 'noopener') },
        { id: 'keys', icon: IconKeyboard, keyName: 'keys', words: 'Keys', also: 'shortcuts', run: onKeys },
        { id: 'light', icon: IconSun, words: 'Light appearance', also: 'theme', run: () => choose('light') },
        { id: 'dark', icon: IconMoon, words: 'Dark appearance', also: 'theme', run: () => choose('dark') },
        {
          id: 'auto',
          icon: IconDeviceDesktop,
          words: 'Appearance of the system',
          also: 'theme',
          run: () => choose('auto'),
        },
        { id: 'out', icon: IconLogout, words: 'Sign out', run: signOut },
      ],
    ],
  ]
}

/** The maximum number of sections of the help that are listed. */
const maxSections = 5

/**
 * The sections of the documents at `/help` that fit what is typed. The index is loaded when two characters are typed.
 * Without the index, nothing is found.
 */
export function useHelp(typed: string): HelpHit[] {
  const isTyped = trimInvisible(typed).length > 1
  const { data } = useQuery({
    queryKey: ['help'],
    queryFn: ({ signal }) => loadIndex(signal),
    enabled: isTyped,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return isTyped && data ? helpFor(typed, data, maxSections) : []
}

/** Loads the index. A node of an earlier version has none, and answers 404. */
export async function loadIndex(signal: AbortSignal): Promise<HelpIndex> {
  const answer = await fetch('/help/search.json', { signal })
  if (!answer.ok) throw new Error(`The index of the help is not there: ${answer.status}`)
  return await answer.json()
}
