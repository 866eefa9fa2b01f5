/** The props that all parts of the agent's page share, and the state that is kept in the address of the page. */
import type { AgentPage, ShownCommand } from '@svc/api'
import { getRouteApi } from '@tanstack/react-router'
import type { SentCommand } from '../../data/api.ts'
import type { AgentTab } from '../../paths.ts'
import type { SettingsDrafts } from './drafts.ts'

/** The prop with which each part of the agent's page gets the agent. */
export interface Agent {
  readonly slug: string
  readonly page: AgentPage
  /** True if the agent is offline (D20). The page then shows its last report. */
  readonly offline: boolean
  readonly press: CommandPress
  readonly settings: SettingsDrafts
}
/** Sends commands for the buttons on the agent's page, and knows which commands are pending. */
export interface CommandPress {
  readonly send: (command: SentCommand) => Promise<ShownCommand>
  /** Sends a command. The page shows neither its outcome nor a notification if sending it fails. */
  readonly sendQuietly: (command: SentCommand) => Promise<ShownCommand>
  /**
   * Returns the pending command that asks for the same as `command` (D5); undefined if there is none. A change of
   * settings is never the same as another.
   */
  readonly under: (command: SentCommand) => ShownCommand | undefined
  /** True if this person sent the agent a command on this page and has not dismissed it. */
  readonly hasSent: boolean
}

const route = getRouteApi('/signed-in/w/$slug/agents/$name')
/** The workspace and the agent's name in the address of the agent's page. */
export const useAgentAddress = () => route.useParams()

/**
 * Returns the tabs that the address of the agent's page may name, including empty ones. Logs are only for admins, and
 * settings are only there if the agent reports a schema.
 */
export function tabsOf({ page }: Pick<Agent, 'page'>): AgentTab[] {
  const there: Record<AgentTab, boolean> = {
    overview: true,
    runs: true,
    updates: true,
    logs: page.canAct,
    settings: (page.report?.settings?.schema?.length ?? 0) > 0,
    // Keep this tab last: no other tab moves when the first command makes it appear.
    commands: true,
  }
  return (Object.keys(there) as AgentTab[]).filter((tab) => there[tab])
}

/** Returns the tabs of `tabsOf` that are not empty, and `asked`, the tab that the address names. */
export function shownTabs(agent: Agent, asked: AgentTab): AgentTab[] {
  const { page, press } = agent
  const isFilled: Record<AgentTab, boolean> = {
    overview: true,
    runs: page.runs.kept > 0,
    commands: page.hasCommands !== false || page.open.length > 0 || press.hasSent,
    updates: page.updates.blueprint !== null || page.report?.runtime !== undefined,
    logs: page.hasLogs !== false || page.logs.length > 0,
    settings: true,
  }
  return tabsOf(agent).filter((tab) => isFilled[tab] || tab === asked)
}

type PageParams = Readonly<Record<string, string | number | undefined>>

/**
 * Returns the state that is kept in the address of the agent's page (tab, filters, page of a list), and the function
 * `go` that changes it. A value that is undefined or '' removes its key. `push` adds a step to the browser's history.
 */
export function useAgentPageParams() {
  const search = route.useSearch() as PageParams
  const navigate = route.useNavigate()
  const go = (change: PageParams & { tab?: AgentTab | undefined }, push = false) =>
    void navigate({
      search: (before: PageParams) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, v]) => v !== undefined && v !== '')),
      replace: !push,
      resetScroll: false,
    })
  const text = (key: string) => (search[key] === undefined ? '' : String(search[key]))
  const page = () => Math.max(1, Math.floor(Number(search.page)) || 1)
  return { tab: (search.tab ?? 'overview') as AgentTab, text, page, go }
}

/** The explanation that a disabled button shows to people who are not admins. */
export const adminsOnly = 'Only admins of this workspace can do this.'
