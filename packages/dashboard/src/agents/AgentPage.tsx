/**
 * The page of one agent: the parts of its last report, and its commands. The page's address says which tab is shown.
 */
import { Box, Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useBlocker, useNavigate } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { read } from '../data/queries.ts'
import { type AgentTab, paths } from '../paths.ts'
import { lazyPart, loadFile } from '../ui/files.tsx'
import { Confirm, ErrorNote, PageTabs, useDocumentTitle, useReportOverdue } from '../ui/index.ts'
import './agent.css'
import type { ShownCommand } from '@svc/api'
import type { Control } from '@svc/protocol'
import { listBefore } from '../data/returning.ts'
import { usePageActions } from '../ui/keys/actions.ts'
import { useKey } from '../ui/keys/useKeys.ts'
import { count } from '../ui/time/format.ts'
import { CommandsInProgress } from './commands/CommandsInProgress.tsx'
import { Header } from './header/Header.tsx'
import { Overview } from './overview/Overview.tsx'
import { type Agent, shownTabs, useAgentAddress, useAgentPageParams } from './parts/agent.ts'
import { useDrafts } from './parts/drafts.ts'
import { controlNames, isPendingCommand } from './parts/life.ts'
import { usePress } from './parts/press.ts'

const MissingAgent = lazyPart(() => import('./header/MissingAgent.tsx'))
/** The steps for an agent that has never reported. Most agents have, so this code is loaded separately. */
const NeverReported = lazy(async () => ({
  default: (await loadFile(import('./header/NeverReported.tsx'))).NeverReported,
}))

const tabs: Readonly<Record<AgentTab, { name: string; panel: ComponentType<{ agent: Agent }> }>> = {
  overview: { name: 'Overview', panel: Overview },
  runs: { name: 'Runs', panel: lazy(() => loadFile(import('./runs/Runs.tsx'))) },
  commands: { name: 'Commands', panel: lazy(() => loadFile(import('./commands/Commands.tsx'))) },
  updates: { name: 'Updates', panel: lazy(() => loadFile(import('./updates/Updates.tsx'))) },
  logs: { name: 'Logs', panel: lazy(() => loadFile(import('./logs/Logs.tsx'))) },
  settings: { name: 'Settings', panel: lazy(() => loadFile(import('./settings/SettingsTab.tsx'))) },
}

export function AgentPage() {
  const { slug, name } = useAgentAddress()
  // Each agent has its own React key, so that typed text and pending clicks do not stay when another agent is opened.
  return <OneAgent key={`${slug}/${name}`} slug={slug} name={name} />
}

function OneAgent({ slug, name }: { slug: string; name: string }) {
  const { data: page, error, refetch } = useQuery(read('GET /w/:slug/agents/:name', { slug, name }))
  const { press, commands, left, dismiss } = usePress(slug, page, name)
  const offline = useReportOverdue(page?.silentAt)
  const settings = useDrafts()
  const params = useAgentPageParams()
  useNewName(page?.name)
  useDocumentTitle(name)

  if (page === undefined && error === null) return <Loader size="sm" m="xl" aria-label="Loading" />
  if (page === undefined)
    return (
      <Suspense>
        <MissingAgent slug={slug} error={error} retry={refetch} />
      </Suspense>
    )
  const agent: Agent = { slug, page, offline, press, settings }
  const shown = shownTabs(agent, params.tab)
  const tab = shown.includes(params.tab) ? params.tab : 'overview'
  const Panel = tabs[tab].panel
  return (
    <>
      <AgentShortcuts agent={agent} />
      <LeaveUnsent changes={Object.keys(settings.drafts).length} />
      <Header agent={agent} tab={tab} />
      {error && <ErrorNote error={error} retry={refetch} />}
      <CommandsInProgress
        agent={agent}
        commands={tab === 'logs' ? commands.filter((command) => !isPendingLog(command)) : commands}
        left={left}
        dismiss={dismiss}
      />
      <Box mt="md">
        <PageTabs
          tabs={shown.map((each) => [each, tabs[each].name])}
          open={tab}
          onOpen={(to) => params.go({ tab: to === 'overview' ? undefined : to, page: undefined }, true)}
        >
          {page.report === null && tab === 'overview' ? <NeverReported agent={agent} /> : <Panel agent={agent} />}
        </PageTabs>
      </Box>
    </>
  )
}

/**
 * Replaces an old name in the page's address with the agent's present name. Old names lead to their agent for 90 days.
 */
function useNewName(name: string | undefined): void {
  const { slug, name: asked } = useAgentAddress()
  const navigate = useNavigate()
  useEffect(() => {
    if (name === undefined || name === asked) return
    void navigate({ to: paths.agent, params: { slug, name }, search: true, hash: true, replace: true })
  }, [name, asked, slug, navigate])
}

/** True for a requested log that has not arrived. The tab with the logs shows such commands itself. */
const isPendingLog = (command: ShownCommand): boolean => command.type === 'log' && isPendingCommand(command)

/** The keyboard shortcuts of an agent's page, and the agent's controls in the command palette. */
function AgentShortcuts({ agent: { slug, page, press } }: { agent: Agent }) {
  const navigate = useNavigate()
  // The list scrolls to the agent by itself, so the router must not scroll to the top.
  const list = { to: paths.fleet, params: { slug }, ...listBefore(slug), resetScroll: false } as const
  useKey('back', () => void navigate(list))
  const offered = page.canAct ? (page.report?.controls ?? []) : []
  usePageActions(
    (Object.keys(controlNames) as Control[])
      .filter((type) => offered.includes(type) && press.under({ type }) === undefined)
      .map((type) => ({
        words: `${controlNames[type]}: ${page.name}`,
        run: () => press.send({ type }).catch(() => undefined),
      })),
  )
  return null
}

/**
 * Asks before the person leaves the agent's page with unsent changes. Switching between tabs never asks, because all
 * tabs are on the same path.
 */
function LeaveUnsent({ changes }: { changes: number }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => changes > 0 && current.pathname !== next.pathname,
    enableBeforeUnload: () => changes > 0,
    withResolver: true,
  })
  return (
    <Confirm
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without sending?"
      confirm="Discard and leave"
      danger
      keepOpen
      onConfirm={async () => blocker.proceed?.()}
    >
      {`You changed ${count(changes, 'setting')} and did not send ${changes === 1 ? 'it' : 'them'} to the agent.`}
    </Confirm>
  )
}
