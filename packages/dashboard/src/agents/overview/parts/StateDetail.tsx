import { Tooltip } from '@mantine/core'
import { readPauseText } from '@svc/protocol'
import { Text, Time } from '../../../ui/index.ts'
import { AsOf } from '../../parts/AsOf.tsx'
import type { Agent } from '../../parts/agent.ts'
import { MachineChangeNote } from '../../parts/MachineChangeNote.tsx'
import { isPaused, pauseByMachine } from '../../parts/machine.ts'
import { useAgentAlerts } from '../../parts/useAgentAlerts.ts'

/**
 * Shows the detail of the agent's state, unless its label or an open alert says the same, and a pause or resume that
 * was made on its machine. For a stopped or offline agent it says that the page shows its last report (D20).
 */
export function StateDetail({ agent }: { agent: Agent }) {
  const { page, offline } = agent
  const { data: alerts } = useAgentAlerts(agent)
  const detail = page.report?.state?.detail
  const isAlert = alerts?.some(({ endedAt, label }) => endedAt === null && label === detail)
  const byMachine = pauseByMachine(page)
  return (
    <div className="ag-state">
      <MachineChangeNote change={byMachine}>
        {byMachine?.after ? 'Paused' : 'Resumed'} on the machine, not from here
      </MachineChangeNote>
      {detail && detail !== page.report?.state?.label && !isAlert && (
        <p>
          <Detail agent={agent} detail={detail} /> <AsOf agent={agent} />
        </p>
      )}
      {offline && page.seenAt !== null && (
        <p className="ag-quiet">
          {page.stopped === null ? (
            <>
              This is its last report, <Time at={page.seenAt} />. Anything since then is unknown.
            </>
          ) : (
            'This is its last report, sent when it was stopped on its machine.'
          )}
        </p>
      )}
    </div>
  )
}

/** True if the top of the page says this text: it is the label or the detail of the agent's state. */
export const isShownAtTop = ({ page: { report } }: Agent, text: string): boolean =>
  [report?.state?.label, report?.state?.detail].includes(text)

/**
 * Shows the detail of the state as the agent wrote it. The runtime's sentence about a pause names the id of a command;
 * the page names the person instead, and shows the runtime's sentence on hover and focus.
 */
function Detail({ agent: { page }, detail }: { agent: Agent; detail: string }) {
  const pause = isPaused(page) ? readPauseText(detail) : undefined
  if (!pause) return <Text lines>{detail}</Text>
  return (
    <>
      <Tooltip label={<Text>{detail}</Text>} multiline maw={360}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus opens the tooltip */}
        <span tabIndex={0}>
          <Text>{pausedBy(pause, page.pausedBy)}</Text>
        </span>
      </Tooltip>
      , <Time at={pause.at} />. <Text>{pause.rest}</Text>
    </>
  )
}

/** Warns that two reporters use the token of this agent (D8). The service accepts the reports of both. */
export const TwoReporters = () => (
  <p className="svc-notice" role="note">
    <strong>Two reporters seem to use this agent’s token.</strong> The page switches between their reports, and a
    command reaches only one of them. Stop one, or rotate the token and give it to the right one.
  </p>
)

/** Says who paused an agent. `person` is the one whose command paused it, if the service knows that command. */
export function pausedBy(
  { by, user }: Pick<NonNullable<ReturnType<typeof readPauseText>>, 'by' | 'user'>,
  person: string | null,
): string {
  if (by === 'machine') return user === undefined ? 'Paused on its machine' : `Paused on its machine by ${user}`
  if (by === undefined) return 'Paused'
  return person === null ? 'Paused by a command from here' : `Paused by ${person}`
}
