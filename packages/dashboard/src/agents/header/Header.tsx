import { ActionIcon, Button, Menu, Text as Words } from '@mantine/core'
import type { Control } from '@svc/protocol'
import {
  IconBellOff,
  IconClock,
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconTag,
  IconTrash,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ComponentType, type Ref, Suspense, useState } from 'react'
import { listBefore } from '../../data/returning.ts'
import { paths } from '../../paths.ts'
import { part } from '../../ui/files.tsx'
import { Level, Text, Time, useFocusedPart } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { Dotted, WhyButton } from '../../ui/parts.tsx'
import { Wished } from '../../updates/parts/Wished.tsx'
import { DeleteDialog, RenameDialog, RotateDialog, TagsDialog } from '../dialogs/index.ts'
import { AsOf } from '../parts/AsOf.tsx'
import { type Agent, adminsOnly } from '../parts/agent.ts'
import { controlNames, whilePaused, wordsOf } from '../parts/life.ts'
import { isPaused } from '../parts/machine.ts'
import { minutesToAnswer } from '../parts/press.ts'
import { Heartbeat } from './Heartbeat.tsx'

/** The top of the agent's page: the agent's name, level, last report and controls. */
export function Header({ agent }: { agent: Agent }) {
  const { slug, page, offline } = agent
  const { report } = page
  const old = page.statusOld && !offline
  const update = page.updates.blueprint
  const version = page.blueprint === null ? null : (page.versions.running ?? page.versions.installed)
  return (
    <header className="svc-head">
      <div>
        <AnchorLink to={paths.fleet} params={{ slug }} {...listBefore(slug)} resetScroll={false} fz="xs" c="dimmed">
          Agents
        </AnchorLink>
        <div className="ag-name">
          <h1>{page.name}</h1>
          <Level
            level={report?.state?.level}
            offline={offline}
            stopped={page.stopped !== null}
            old={old}
            late={old && page.statusLate}
            lacking={page.secretsMissing}
            never={page.seenAt === null}
          />
          {report?.state?.label && (
            <span className="ag-label" data-offline={offline || old}>
              <Text>{report.state.label}</Text>
            </span>
          )}
          <AsOf agent={agent} />
        </div>
        <Words component="div" c="dimmed" fz="sm">
          <Dotted
            parts={[
              <span key="heard">
                <Heard agent={agent} />
                <Heartbeat agent={agent} />
              </span>,
              report?.active?.length === 0 && !offline && !old && 'nothing is running',
              report?.agent?.version && report.agent.version !== version && (
                <>
                  version <Text>{report.agent.version}</Text>
                </>
              ),
              report?.agent?.host && (
                <>
                  on <Text>{report.agent.host}</Text>
                </>
              ),
              page.blueprint && (
                <>
                  blueprint{' '}
                  <AnchorLink
                    to={paths.blueprint}
                    params={{ slug, blueprint: page.blueprint }}
                    search={version === null ? {} : { version }}
                    fz="sm"
                  >
                    <Text>{version === null ? page.blueprint : `${page.blueprint} ${version}`}</Text>
                  </AnchorLink>
                  {update && (
                    <>
                      {' '}
                      <Wished running={update.running} wished={update.wish?.version ?? null} state={update.state} />
                    </>
                  )}
                </>
              ),
            ]}
          />
        </Words>
        <Tags agent={agent} />
      </div>
      <div className="ag-actions">
        <Controls agent={agent} />
        <AgentMenu agent={agent} />
      </div>
    </header>
  )
}

/**
 * Shows when the agent last reported or, before its first report, when it was added. If the agent is stopped or offline
 * (D20), the time is emphasised, because everything on the page is as old as the last report.
 */
function Heard({ agent: { page, offline } }: { agent: Agent }) {
  if (page.seenAt === null)
    return (
      <>
        added <Time at={page.createdAt} />
        {page.createdBy !== null && (
          <>
            {' '}
            by <Text>{page.createdBy}</Text>
          </>
        )}
      </>
    )
  if (page.stopped !== null)
    return (
      <strong>
        Stopped on its machine, <Time at={page.seenAt} />
      </strong>
    )
  return offline ? (
    <strong className="ag-offline">
      Offline: last report <Time at={page.seenAt} />
    </strong>
  ) : (
    <>
      reported <Time at={page.seenAt} />
    </>
  )
}

/** The tags of the agent, each a link to the agents that have it, and a button to change them; nothing without tags. */
function Tags({ agent: { slug, page } }: { agent: Agent }) {
  const [open, setOpen] = useState(false)
  if (page.tags.length === 0 && !open) return null
  return (
    <div className="ag-tags">
      <ul aria-label="Tags">
        {page.tags.map((tag) => (
          <li key={tag}>
            <Link to={paths.fleet} params={{ slug }} search={{ q: `tag:${tag}` }} className="ag-tag">
              <span>{tag}</span>
            </Link>
          </li>
        ))}
      </ul>
      {page.canAct && (
        <Button size="compact-xs" variant="subtle" onClick={() => setOpen(true)}>
          Tags…
        </Button>
      )}
      {open && (
        <Suspense>
          <TagsDialog slug={slug} names={[page.name]} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

const MuteLengthDialog = part(() => import('../../alerts/mutes/MuteLengthDialog.tsx'))
const HoursDialog = part(() => import('./HoursDialog.tsx'))

type AgentDialog = 'mute' | 'hours' | 'tags' | 'rename' | 'rotate' | 'delete'

/**
 * The menu to mute an agent, to set its hours and tags, to rename it, to rotate its token and to delete it. Each opens
 * a dialog that names the consequences.
 */
function AgentMenu({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState<AgentDialog | null>(null)
  const [used, setUsed] = useState(false)
  const { slug, page } = agent
  const dialog = (which: typeof open) => ({
    slug,
    name: page.name,
    opened: open === which,
    onClose: () => setOpen(null),
  })
  return (
    <>
      <Menu position="bottom-end" withinPortal onOpen={() => setUsed(true)}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`More about ${page.name}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Items agent={agent} canAct={page.canAct} open={setOpen} />
      </Menu>
      {used && (
        <Suspense>
          <RenameDialog {...dialog('rename')} />
          <RotateDialog {...dialog('rotate')} />
          <DeleteDialog {...dialog('delete')} />
          {open === 'mute' && <MuteLengthDialog slug={slug} name={page.name} onClose={() => setOpen(null)} />}
          {open === 'tags' && <TagsDialog slug={slug} names={[page.name]} onClose={() => setOpen(null)} />}
          {open === 'hours' && <HoursDialog slug={slug} name={page.name} onClose={() => setOpen(null)} />}
        </Suspense>
      )}
    </>
  )
}

interface ItemsProps {
  agent: Agent
  canAct: boolean
  open: (dialog: AgentDialog) => void
}

const Items = ({ agent, canAct, open }: ItemsProps) => (
  <Menu.Dropdown>
    {controlsOf(agent).others.map((control) => (
      <ControlItem key={control} agent={agent} control={control} />
    ))}
    <Menu.Item leftSection={<IconBellOff size={15} aria-hidden />} onClick={() => open('mute')}>
      Mute…
    </Menu.Item>
    <Menu.Divider />
    {!canAct && <Menu.Label>{adminsOnly}</Menu.Label>}
    <Menu.Item disabled={!canAct} leftSection={<IconClock size={15} aria-hidden />} onClick={() => open('hours')}>
      Set hours…
    </Menu.Item>
    <Menu.Item disabled={!canAct} leftSection={<IconTag size={15} aria-hidden />} onClick={() => open('tags')}>
      Tags…
    </Menu.Item>
    <Menu.Item disabled={!canAct} leftSection={<IconPencil size={15} aria-hidden />} onClick={() => open('rename')}>
      Rename…
    </Menu.Item>
    <Menu.Item disabled={!canAct} leftSection={<IconKey size={15} aria-hidden />} onClick={() => open('rotate')}>
      Rotate token…
    </Menu.Item>
    <Menu.Divider />
    <Menu.Item
      disabled={!canAct}
      color="red"
      leftSection={<IconTrash size={15} aria-hidden />}
      onClick={() => open('delete')}
    >
      Delete…
    </Menu.Item>
  </Menu.Dropdown>
)

const icons: Readonly<Record<Control, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  pause: IconPlayerPause,
  resume: IconPlayerPlay,
  run_now: IconPlayerTrackNext,
}

/** The buttons for the controls that make sense now. The menu has the other ones that the agent offers (2.1). */
function Controls({ agent }: { agent: Agent }) {
  const { shown } = controlsOf(agent)
  // *Resume* takes the place of *Pause*, which may have the focus, and the other way round.
  const first = useFocusedPart<HTMLButtonElement>(shown.join())
  return shown.map((control, i) => (
    <ControlButton key={control} agent={agent} control={control} ref={i === 0 ? first : null} />
  ))
}

/**
 * The controls that the agent offers, in a fixed order: those that are shown as buttons, and the others. *Resume* is
 * for a paused agent and *Pause* for any other, unless a command for it is pending.
 */
function controlsOf({ page, press }: Agent): Record<'shown' | 'others', Control[]> {
  const offered = (Object.keys(controlNames) as Control[]).filter((one) => page.report?.controls?.includes(one))
  const useless: Control = isPaused(page) ? 'pause' : 'resume'
  const isShown = (type: Control) => type !== useless || press.under({ type }) !== undefined
  return { shown: offered.filter(isShown), others: offered.filter((type) => !isShown(type)) }
}

interface ControlPress {
  press: () => void
  /** The reason why the control cannot be pressed; null if it can. */
  why: string | null
}

function useControl(agent: Agent, control: Control): ControlPress {
  const [sending, setSending] = useState(false)
  const under = agent.press.under({ type: control })
  const press = async () => {
    setSending(true)
    await agent.press.send({ type: control }).catch(() => undefined)
    setSending(false)
  }
  return { press: () => void press(), why: whyNot(agent, control, sending, under && wordsOf(under).word) }
}

/** A control in the menu, with the reason below it if it cannot be pressed. */
function ControlItem({ agent, control }: { agent: Agent; control: Control }) {
  const { press, why } = useControl(agent, control)
  const Icon = icons[control]
  return (
    <Menu.Item disabled={why !== null} leftSection={<Icon size={15} aria-hidden />} onClick={press}>
      {controlNames[control]}
      {why !== null && <div className="ag-quiet">{why}</div>}
    </Menu.Item>
  )
}

interface ControlButtonProps {
  agent: Agent
  control: Control
  ref: Ref<HTMLButtonElement>
}

function ControlButton({ agent, control, ref }: ControlButtonProps) {
  const { press, why } = useControl(agent, control)
  const Icon = icons[control]
  return (
    <WhyButton
      ref={ref}
      variant={control === 'resume' && isPaused(agent.page) ? 'filled' : 'default'}
      size="sm"
      leftSection={<Icon size={15} aria-hidden />}
      onClick={press}
      why={why}
      note={
        agent.offline ? `The agent is offline: without a report within ${minutesToAnswer} minutes, this expires.` : null
      }
    >
      {controlNames[control]}
    </WhyButton>
  )
}

function whyNot(agent: Agent, control: Control, sending: boolean, under: string | undefined): string | null {
  if (!agent.page.canAct) return adminsOnly
  if (sending) return 'Sending…'
  if (under !== undefined) return `Already ${under}.`
  return isPaused(agent.page) ? whilePaused[control] : null
}
