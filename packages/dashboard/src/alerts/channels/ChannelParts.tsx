/** The parts that are used for both the channels of the workspace and the personal channels. */
import { Button } from '@mantine/core'
import type { ChannelRow } from '@svc/api'
import { Text, Time, Tone } from '../../ui/index.ts'

/** Says why the service has disabled a channel; nothing if it has not. */
export const DisabledBecause = ({ reason }: { reason: string | null }) =>
  reason !== null && (
    <p className="al-note">
      Disabled by the service: <Text>{reason}</Text>
    </p>
  )

/** Shows when a channel was last sent a message (Unix milliseconds), and the answer of its receiver. */
export const LastAnswer = ({ at, answer }: { at: number; answer: string | null }) => (
  <>
    Last response <Time at={at} />: <Text>{answer ?? 'none'}</Text>
  </>
)

interface TestButtonProps {
  /** The name of the channel as the page shows it. */
  channel: string
  busy: boolean
  onTest: () => void
}

export const TestButton = ({ channel, busy, onTest }: TestButtonProps) => (
  <Button variant="default" size="compact-sm" loading={busy} onClick={onTest} aria-label={`Send test to ${channel}`}>
    Send test
  </Button>
)

/** Shows whether a channel is enabled and, if its messages fail, since when. */
export function ChannelState({ enabled, failingSince }: Pick<ChannelRow, 'enabled' | 'failingSince'>) {
  if (!enabled) return <Tone tone="no">disabled</Tone>
  if (failingSince === null) return <Tone tone="good">enabled</Tone>
  return (
    <Tone tone="lost">
      failing since <Time at={failingSince} />
    </Tone>
  )
}

/** Shows whether the receiver of a channel accepted a test message, and what it answered. */
export const TestResult = ({ ok, message }: { ok: boolean; message: string }) => (
  <p className="al-note">
    <Tone tone={ok ? 'good' : 'no'}>{ok ? 'Test taken' : 'Test not taken'}</Tone> <Text>{message}</Text>
  </p>
)
