/**
 * The page of the alerts of a workspace: a tab each for open alerts, ended alerts, rules, channels, deliveries (only
 * for admins), and the channels of the signed-in person.
 */
import { QueryState } from '../ui/pages/QueryState.tsx'
import './alerts-page.css'
import { Button, Checkbox } from '@mantine/core'
import type { AlertLine } from '@svc/api'
import { agentNamesText, alertRules, subjectText } from '@svc/api/words'
import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ComponentType, lazy, type ReactNode, useState } from 'react'
import { read } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import type { AlertTab } from '../paths.ts'
import { loadFile } from '../ui/files.tsx'
import { count, Empty, Level, PageHeader, PageTabs, Section, Text, Time, useDocumentTitle } from '../ui/index.ts'
import { Acknowledge } from './Acknowledge.tsx'
import { AlertItem } from './AlertItem.tsx'
import { AlertFilter, useAlertsShown } from './history/AlertFilter.tsx'
import { MuteMany } from './mutes/MuteMenu.tsx'
import { Mutes } from './mutes/Mutes.tsx'
import type { AlertTabProps } from './parts/props.ts'
import { byUrgency, type MuteCover, muteCoverOf, statementOf } from './parts/words.ts'

const tabs: Readonly<Record<AlertTab, { name: string; panel: ComponentType<AlertTabProps>; admins?: true }>> = {
  open: { name: 'Open', panel: OpenTab },
  history: { name: 'History', panel: lazy(() => loadFile(import('./HistoryTab.tsx'))) },
  rules: { name: 'Rules', panel: lazy(() => loadFile(import('./rules/RulesTab.tsx'))) },
  channels: { name: 'Channels', panel: lazy(() => loadFile(import('./channels/ChannelsTab.tsx'))) },
  deliveries: { name: 'Deliveries', panel: lazy(() => loadFile(import('./DeliveriesTab.tsx'))), admins: true },
  mine: { name: 'For me', panel: lazy(() => loadFile(import('./channels/MineTab.tsx'))) },
}

const route = getRouteApi('/signed-in/w/$slug/alerts')

export function AlertsPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const admin = role === 'admin'
  const { tab: wanted = 'open' } = route.useSearch()
  const navigate = route.useNavigate()
  const shown = (Object.keys(tabs) as AlertTab[]).filter((each) => admin || !tabs[each].admins)
  const tab = shown.includes(wanted) ? wanted : 'open'
  const Panel = tabs[tab].panel
  useDocumentTitle('Alerts', name)
  return (
    <>
      <PageHeader title="Alerts" note="What needs somebody’s attention, and who is notified." />
      <PageTabs
        tabs={shown.map((each) => [each, tabs[each].name])}
        open={tab}
        onOpen={(to) => void navigate({ search: to === 'open' ? {} : { tab: to } })}
      >
        <div className="svc-column al-page">
          <Panel slug={slug} admin={admin} />
        </div>
      </PageTabs>
    </>
  )
}

/** With more open alerts than this, the page shows the filter. */
const maxShown = 8

/** The open alerts of the workspace, and its mutes that have not ended. */
function OpenTab({ slug, admin }: AlertTabProps) {
  const shown = useAlertsShown()
  const isNarrowed = Object.keys(shown).length > 0
  const query = useQuery(read('GET /w/:slug/alerts/lines', { slug }, isNarrowed ? shown : undefined))
  const { data, isPlaceholderData } = query
  return (
    <>
      {(isNarrowed || (data && data.rows.length > maxShown)) && <AlertFilter />}
      <QueryState of={query} />
      {data &&
        (data.rows.length === 0 && isNarrowed ? (
          <Empty icon={IconBell} title="No such alert is open" help="alerts#acknowledge-and-mute">
            Change the filter to see others.
          </Empty>
        ) : data.rows.length === 0 ? (
          <Empty icon={IconBell} title="No open alerts" help="alerts#choose-what-you-hear-about">
            An alert opens when a rule holds, such as an agent that is offline for ten minutes.
          </Empty>
        ) : (
          <Section
            title="Open alerts"
            aside={data.more ? `the newest ${data.rows.length}` : count(data.rows.length, 'alert')}
            flush
          >
            <div className="svc-late" data-late={isPlaceholderData} aria-busy={isPlaceholderData}>
              <OpenAlerts slug={slug} admin={admin} rows={data.rows} />
            </div>
          </Section>
        ))}
      <Mutes slug={slug} admin={admin} />
    </>
  )
}

interface OpenAlertsProps {
  slug: string
  admin: boolean
  rows: readonly AlertLine[]
}

/** The list of open alerts, folded by cause. The person can select alerts, and acknowledge or mute them together. */
function OpenAlerts({ slug, admin, rows }: OpenAlertsProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const selected = rows.filter(({ id }) => chosen.has(id))
  const select = (alerts: readonly AlertLine[], on: boolean) =>
    setChosen((before) => {
      const ids = new Set(alerts.map(({ id }) => id))
      return new Set([...[...before].filter((id) => !ids.has(id)), ...(on ? ids : [])])
    })
  const box = (alerts: readonly AlertLine[], label: string) => {
    const there = alerts.filter(({ id }) => chosen.has(id)).length
    return (
      <Checkbox
        className="al-select"
        aria-label={label}
        checked={there === alerts.length && there > 0}
        indeterminate={there > 0 && there < alerts.length}
        onChange={(event) => select(alerts, event.currentTarget.checked)}
      />
    )
  }
  return (
    <>
      <div className="al-bar">
        {box(rows, 'Select all alerts')}
        <span role="status">
          {selected.length === 0 ? 'Select all' : `${count(selected.length, 'alert')} selected`}
        </span>
        {selected.length > 0 && (
          <SelectionButtons slug={slug} admin={admin} alerts={selected} done={() => setChosen(new Set())} />
        )}
      </div>
      <ul className="svc-rows" aria-label="Open alerts">
        {foldAlerts(rows).map((fold) =>
          fold.alerts.length === 1 ? (
            <AlertItem
              key={fold.key}
              slug={slug}
              alert={fold.alerts[0]}
              admin={admin}
              inside={fold.inside}
              select={box(fold.alerts, `Select the alert about ${subjectText(fold.alerts[0].subject)}`)}
            />
          ) : (
            <FoldedAlerts key={fold.key} slug={slug} admin={admin} fold={fold} select={box} />
          ),
        )}
      </ul>
    </>
  )
}

interface ActsProps {
  slug: string
  admin: boolean
  alerts: readonly AlertLine[]
  done?: () => void
}

/** The buttons that acknowledge and mute `alerts`. Buttons that would have no effect are left out. */
function SelectionButtons({ slug, admin, alerts, done }: ActsProps) {
  const open = alerts.filter(({ acknowledged }) => acknowledged === null)
  const mutes = mutesOf(alerts, admin)
  return (
    <div className="al-acts">
      {open.length > 0 && <Acknowledge slug={slug} alerts={open} {...(done && { done })} />}
      {mutes.length > 0 && <MuteMany slug={slug} covered={mutes} {...(done && { done })} />}
    </div>
  )
}

interface FoldedProps {
  slug: string
  admin: boolean
  fold: AlertFold
  select: (alerts: readonly AlertLine[], label: string) => ReactNode
}

/** One line for several alerts with the same cause. It opens to show each of them. */
function FoldedAlerts({ slug, admin, fold, select }: FoldedProps) {
  const [isOpened, setOpened] = useState(false)
  const { alerts } = fold
  const acknowledged = alerts.filter((alert) => alert.acknowledged !== null).length
  const names = alerts.map(({ agent, subject }) => agent ?? subject.name)
  return (
    <>
      <li className="al-item al-alert" data-quiet={acknowledged === alerts.length} data-inside={fold.inside}>
        {select(alerts, `Select ${foldText(fold)}`)}
        <span className="al-level">
          <Level level={alerts[0].level} />
        </span>
        <div className="al-words">
          <div>
            <strong>
              <Text>{foldText(fold)}</Text>
            </strong>
          </div>
          <div className="svc-quiet">
            <Text>{agentNamesText(names)}</Text>
          </div>
          <div className="svc-quiet al-each">
            began <Time at={Math.min(...alerts.map(({ since }) => since))} />
            {acknowledged > 0 && ` · ${acknowledged} acknowledged`}
            <Button
              variant="subtle"
              size="compact-xs"
              aria-expanded={isOpened}
              aria-label={`${isOpened ? 'Hide' : 'Show'} each of ${foldText(fold)}`}
              onClick={() => setOpened(!isOpened)}
            >
              {isOpened ? 'Hide each' : 'Show each'}
            </Button>
          </div>
        </div>
        <SelectionButtons slug={slug} admin={admin} alerts={alerts} />
      </li>
      {isOpened &&
        alerts.map((alert) => (
          <AlertItem
            key={alert.id}
            slug={slug}
            alert={alert}
            admin={admin}
            select={select([alert], `Select the alert about ${subjectText(alert.subject)}`)}
          />
        ))}
    </>
  )
}

/** A line of the list: one open alert, or several about single agents with the same cause, the most urgent first. */
interface AlertFold {
  key: string
  alerts: readonly [AlertLine, ...AlertLine[]]
  /** True if all alerts of the line are updates that failed in the halted rollout of a line above. */
  inside: boolean
}

/**
 * Folds alerts about single agents by rule, label and item; any other alert has a line of its own. The lines are sorted
 * by their most urgent alert, but updates that failed in a halted rollout follow the line of that rollout.
 */
export function foldAlerts(rows: readonly AlertLine[]): AlertFold[] {
  const folds = new Map<string, [AlertLine, ...AlertLine[]]>()
  for (const alert of rows.toSorted(byUrgency)) {
    const { id, rule, label, agent, agents, subject } = alert
    const key = agent === null || agents !== null ? id : JSON.stringify([rule, label, subject.item ?? null])
    const fold = folds.get(key)
    if (fold) fold.push(alert)
    else folds.set(key, [alert])
  }
  const lines = [...folds].map(([key, alerts]) => ({ key, alerts, inside: false }))
  return lines.filter((line) => rolloutAbove(line) === undefined).flatMap((line) => [line, ...below(line)])

  /** Returns the line of the halted rollout in which all updates of `alerts` failed; undefined if there is none. */
  function rolloutAbove({ alerts }: Pick<AlertFold, 'alerts'>) {
    const { within } = alerts[0]
    if (within === undefined || alerts.some((alert) => alert.within !== within)) return undefined
    return lines.find((one) => one.alerts[0].rollout === within)
  }
  function below(line: AlertFold): AlertFold[] {
    return lines.filter((one) => rolloutAbove(one) === line).map((one) => ({ ...one, inside: true }))
  }
}

/** The text of a line with several alerts, such as `HTTP 401 from the mailbox: 25 agents`. */
export const foldText = ({ alerts }: AlertFold): string =>
  `${withoutEnd(statementOf(alerts[0])) || alertRules[alerts[0].rule].heading}: ${new Set(alerts.map(({ agent }) => agent)).size} agents`

/** Removes punctuation from the end of a text, so that a colon can follow. */
const withoutEnd = (text: string): string => text.replace(/[\s.,:;!?…]+$/, '')

/**
 * Returns the mutes, each once, that would cover the alerts that are not muted. Only admins may create a mute that is
 * not about a single agent.
 */
export function mutesOf(alerts: readonly AlertLine[], admin: boolean): MuteCover[] {
  const covered = alerts.filter(({ agent, muted }) => !muted && (admin || agent !== null)).map(muteCoverOf)
  return [...new Map(covered.map((one) => [JSON.stringify([one.agent, one.rule, one.item]), one])).values()]
}
