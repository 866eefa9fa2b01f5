/** What every part of the agent's page is given, and the view that the address holds. */
import type { AgentPage, Command } from '@svc/api'
import { getRouteApi } from '@tanstack/react-router'
import type { SentCommand } from '../../../api.ts'
import type { AgentTab } from '../../../paths.ts'
import type { SettingsDrafts } from '../settings/useDrafts.ts'

export interface Agent {
  readonly slug: string
  readonly page: AgentPage
  /** It has not reported for too long (D20): all that is shown is what it said last. */
  readonly silent: boolean
  /** Sends a command; its life is followed from then on. */
  readonly press: Press
  readonly settings: SettingsDrafts
}
export interface Press {
  readonly send: (command: SentCommand) => Promise<Command>
  /** A command of this kind that is queued or unanswered (D5). */
  readonly under: (command: SentCommand) => Command | undefined
}

const route = getRouteApi('/signed-in/w/$slug/agents/$name')
export const useAgentAddress = () => route.useParams()

type View = Readonly<Record<string, string | number | undefined>>

/** The view that the address holds, and its change; undefined takes a key out. `push` makes it a step to go back from. */
export function useView() {
  const search = route.useSearch() as View
  const navigate = route.useNavigate()
  const go = (change: View & { tab?: AgentTab | undefined }, push = false) =>
    void navigate({
      search: (before: View) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, v]) => v !== undefined && v !== '')),
      replace: !push,
      resetScroll: false,
    })
  const text = (key: string) => (search[key] === undefined ? '' : String(search[key]))
  const page = () => Math.max(1, Math.floor(Number(search.page)) || 1)
  return { tab: (search.tab ?? 'overview') as AgentTab, text, page, go }
}

/** Why somebody who is no admin sees a button that they cannot press. */
export const adminsOnly = 'Only admins of this workspace can do this.'
