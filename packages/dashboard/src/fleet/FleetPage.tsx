import { useOnPhone } from '../ui/page/useOnPhone.ts'
import './fleet.css'
import { Button } from '@mantine/core'
import { IconColumns3, IconPlus, IconRobot, IconSearchOff } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Fragment, Suspense, useEffect, useRef, useState } from 'react'
import { noteList } from '../data/returning.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { lazyPart } from '../ui/files.tsx'
import { Cost, Empty, ErrorNote, IdleFilterTerms, Level, PageHeader, Text, useDocumentTitle } from '../ui/index.ts'
import { useKey } from '../ui/keys/useKeys.ts'
import { ButtonLink } from '../ui/links.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { FleetList } from './FleetList.tsx'
import { appliedFilter, noteAppliedFilter } from './filter/applied.ts'
import { FilterField, FilterMistake, type TypingRef } from './filter/FilterField.tsx'
import { FleetChips } from './filter/FleetChips.tsx'
import { GroupingMenu } from './groups/Arrange.tsx'
import { useFleet } from './useFleet.ts'
import { useSelection } from './useSelection.ts'
import { useOpenedViewId } from './views/opened.ts'
import { agentCountText, fleetQueryOf, problemsOf, urgentText, type WorkspaceProblem } from './views/search.ts'
import { Views, ViewTabs } from './views/Views.tsx'

const FirstSteps = lazyPart(() => import('./first-steps/FirstSteps.tsx'))
const FleetMap = lazyPart(() => import('./map/FleetMap.tsx'))
const GroupedList = lazyPart(() => import('./GroupedList.tsx'))
const BulkBar = lazyPart(async () => ({ default: (await import('./BulkBar.tsx')).BulkBar }))

const route = getRouteApi('/signed-in/w/$slug/')

/** The page with all agents of the workspace: what each does, how healthy it is, and what it costs. */
export function FleetPage() {
  const slug = useSlug()
  const workspace = useWorkspace()
  const search = route.useSearch()
  const typing: TypingRef = useRef(undefined)
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const { filter, error: mistake } = appliedFilter(slug, search.q)
  const { shown, late, error, retry } = useFleet(slug, fleetQueryOf(search, filter.text), ...range)
  const onPhone = useOnPhone()
  const selection = useSelection(slug)
  const admin = workspace.role === 'admin'
  const some = selection.names.size > 0
  const bulk = useOnce(admin && some)
  const opened = useOpenedViewId()
  useEffect(() => noteList(slug, { search, state: { view: opened } }), [slug, search, opened])
  useEffect(() => noteAppliedFilter(slug, filter), [slug, filter])
  useKey('clear', some ? selection.clear : undefined)
  const { head } = shown ?? {}
  const empty = head?.of === 0
  useDocumentTitle(head && urgentText(head.standing), 'Agents', workspace.name)
  // The header of an empty workspace has no button to add an agent, because FleetEmpty has one.
  const isNew = head ? empty : workspace.firstSteps?.agent === false
  const firstSteps = head && workspace.firstSteps && (
    <Suspense>
      <FirstSteps slug={slug} steps={workspace.firstSteps} empty={empty} reported={head.of > head.standing.never} />
    </Suspense>
  )
  const by = search.group === 'none' ? undefined : search.group
  const list = { slug, search, filter: filter.text, selection: admin ? selection : undefined }
  return (
    <>
      <PageHeader
        title="Agents"
        note={
          head &&
          !empty && (
            <>
              <TroubleLine slug={slug} problems={problemsOf(head.standing)} isCounted={head.total === head.of} />
              Today&nbsp;
              <Cost usd={head.costToday} />
              &nbsp;·&nbsp;30&nbsp;days&nbsp;
              <Cost usd={head.cost30} />
            </>
          )
        }
        actions={
          !isNew && (
            <>
              {onPhone && <GroupingMenu slug={slug} search={search} onPhone />}
              {admin && (
                <ButtonLink
                  className="fleet-add"
                  leftSection={<IconPlus size={16} aria-hidden />}
                  to={paths.add}
                  params={{ slug }}
                >
                  Add agent
                </ButtonLink>
              )}
            </>
          )
        }
      />
      {!empty && (
        <div className="fleet-tools" data-bulk={some} data-empty={shown?.total === 0}>
          <div className="fleet-filters">
            <ViewTabs slug={slug} />
            <FilterField key={slug} slug={slug} typing={typing} />
            <Views slug={slug} />
            {!onPhone && <GroupingMenu slug={slug} search={search} onPhone={false} />}
            {search.as !== 'map' && <ColumnsButton />}
          </div>
          {mistake && <FilterMistake error={mistake} applied={filter.text} />}
          {!mistake && <IdleFilterTerms role="status" text={filter.text} places={head?.idle} />}
          <FleetChips slug={slug} filter={filter} counts={head?.counts} typing={typing} />
          {head && (
            // Without a filter, only screen readers get this number, because the first chip shows it.
            <span className={head.total === head.of && !mistake ? 'svc-hidden' : 'fleet-number'} role="status">
              {agentCountText(head)}
              {mistake && ' · filter not applied'}
            </span>
          )}
        </div>
      )}
      {error ? (
        <ErrorNote error={error} retry={retry} />
      ) : !shown ? (
        <WaitingPage />
      ) : shown.total === 0 ? (
        <FleetEmpty slug={slug} none={empty} filter={filter.text} admin={admin} />
      ) : search.as === 'map' ? (
        <Suspense fallback={<WaitingPage />}>
          <FleetMap slug={slug} by={by} filter={filter.text} />
        </Suspense>
      ) : by ? (
        <Suspense fallback={<WaitingPage />}>
          <GroupedList key={by} {...list} by={by} query={fleetQueryOf(search, filter.text)} head={shown.head} />
        </Suspense>
      ) : (
        <FleetList
          {...list}
          shown={shown}
          late={late}
          onRange={(first, last) => {
            if (first !== range[0] || last !== range[1]) setRange([first, last])
          }}
        />
      )}
      {/* BulkBar comes after the list, so that the Tab key leads from the list to its buttons. */}
      <Suspense>{bulk && <BulkBar slug={slug} selection={selection} />}</Suspense>
      {firstSteps}
    </>
  )
}

interface TroubleLineProps {
  slug: string
  problems: readonly WorkspaceProblem[]
  /** True if the filter leaves out no agent. The line then omits the problems that a chip counts. */
  isCounted: boolean
}

/**
 * The line below the heading of the list of agents, which says whether anything needs attention. Each problem leads to
 * its agents, or to the rollouts.
 */
function TroubleLine({ slug, problems, isCounted }: TroubleLineProps) {
  if (problems.length === 0)
    return (
      <span className="fleet-standing">
        <Level level="ok" iconOnly /> All is well&nbsp;
      </span>
    )
  const shown = isCounted ? problems.filter(({ hasChip }) => !hasChip) : problems
  if (shown.length === 0) return null
  return (
    <span className="fleet-standing">
      {shown.map(({ words, q, level }, i) => (
        <Fragment key={words}>
          {i > 0 && ', '}
          {q === undefined ? (
            <Link to={paths.updates} params={{ slug }}>
              {words}
            </Link>
          ) : (
            <Link to={paths.fleet} params={{ slug }} search={{ q }} resetScroll={false} data-level={level}>
              {words}
            </Link>
          )}
        </Fragment>
      ))}
      &nbsp;
    </span>
  )
}

/**
 * Returns true once `now` has been true. A dialog that was opened once stays mounted, so that it can close smoothly and
 * be opened again.
 */
function useOnce(now: boolean): boolean {
  const [ever, setEver] = useState(now)
  if (now && !ever) setEver(true)
  return ever || now
}

const ColumnsDialog = lazyPart(() => import('./ColumnsDialog.tsx'))

/** Opens the choice of columns. Narrow windows show no columns, so they have no such button. */
function ColumnsButton() {
  const [opened, setOpened] = useState<boolean>()
  return (
    <>
      <Button
        className="fleet-columns"
        variant="default"
        leftSection={<IconColumns3 size={15} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        Columns
      </Button>
      <Suspense>{opened !== undefined && <ColumnsDialog opened={opened} onClose={() => setOpened(false)} />}</Suspense>
    </>
  )
}

interface EmptyProps {
  slug: string
  /** True if the workspace has no agents; false if it has some that the filter hides. */
  none: boolean
  /** The text of the filter that is applied. */
  filter: string
  admin: boolean
}

function FleetEmpty({ slug, none, filter, admin }: EmptyProps) {
  if (none)
    return (
      <Empty
        icon={IconRobot}
        title="No agents yet"
        help={admin ? 'start#connect-a-program-that-already-runs' : 'page#agents'}
        action={
          admin && (
            <ButtonLink to={paths.add} params={{ slug }}>
              Add your first agent
            </ButtonLink>
          )
        }
      >
        {admin
          ? 'Connect a program or cron jobs with one block to paste, or install an agent from a blueprint. It reports within a minute.'
          : 'Agents that admins add will be listed here.'}
      </Empty>
    )
  return (
    <Empty
      icon={IconSearchOff}
      title="No agents match"
      help={null}
      action={
        <ButtonLink to={paths.fleet} params={{ slug }} variant="default">
          Show all agents
        </ButtonLink>
      }
    >
      No agent fits <Text mono>{filter}</Text>.
    </Empty>
  )
}
