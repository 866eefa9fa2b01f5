import { ActionIcon, Menu } from '@mantine/core'
import type { ChannelRow } from '@svc/api'
import { IconDots } from '@tabler/icons-react'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { Confirm, Text, Time } from '../../ui/index.ts'
import { useAlertChange, useAlertsAgain } from '../parts/useAlertChange.ts'
import { DisabledBecause, LastAnswer, TestButton } from './ChannelParts.tsx'
import { ChannelState } from './ChannelState.tsx'
import { kindName } from './channel-kinds.ts'
import { TestResult } from './TestResult.tsx'
import { useChannelTest } from './useChannelTest.ts'

interface ChannelLineProps {
  slug: string
  channel: ChannelRow
  admin: boolean
}

/**
 * Shows one channel of the workspace with the last answer of its receiver. Admins can test, disable and remove the
 * channel here.
 */
export function ChannelLine({ slug, channel, admin }: ChannelLineProps) {
  const { name, kind, address, format, enabled, disabledBecause, lastAnswer, lastAt } = channel
  const test = useChannelTest(slug, {
    send: () => call('POST /w/:slug/channels/:channel/test', { slug, channel: name }),
    follow: (id) => call('GET /w/:slug/channels/:channel/tests/:id', { slug, channel: name, id }),
  })
  const turn = useAlertChange(slug, 'Not changed', () =>
    enabled
      ? call('POST /w/:slug/channels/:channel/disable', { slug, channel: name })
      : call('POST /w/:slug/channels/:channel/enable', { slug, channel: name }),
  )
  return (
    <li className="al-item">
      <div className="al-words">
        <div className="al-name">
          <strong>#{name}</strong>
          <span>{kindName(kind)}</span>
          <ChannelState {...channel} />
        </div>
        <div className="svc-quiet">
          {address !== null && <Text>{address}</Text>}
          {address !== null && format === 'single' && ' · '}
          {format === 'single' && 'each change in a message of its own'}
        </div>
        <DisabledBecause reason={disabledBecause} />
        <div className="svc-quiet">
          {lastAt === null ? 'Nothing has been sent yet.' : <Last at={lastAt} answer={lastAnswer} admin={admin} />}
        </div>
        <div role="status">{test.data && <TestResult {...test.data} />}</div>
      </div>
      {admin && (
        <div className="al-acts">
          <TestButton channel={`#${name}`} busy={test.isPending} onTest={() => test.mutate(undefined)} />
          <More slug={slug} name={name} enabled={enabled} busy={turn.isPending} onTurn={() => turn.mutate(undefined)} />
        </div>
      )}
    </li>
  )
}

interface LastProps {
  at: number
  answer: string | null
  admin: boolean
}

/** When the channel was last used. Only admins see what its receiver answered. */
const Last = ({ at, answer, admin }: LastProps) =>
  admin ? (
    <LastAnswer at={at} answer={answer} />
  ) : (
    <>
      Last message <Time at={at} />
    </>
  )

interface MoreProps {
  slug: string
  name: string
  enabled: boolean
  busy: boolean
  onTurn: () => void
}

function More({ slug, name, enabled, busy, onTurn }: MoreProps) {
  const again = useAlertsAgain(slug)
  const [removing, setRemoving] = useState(false)
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={26} loading={busy} aria-label={`More about #${name}`}>
            <IconDots size={15} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onTurn}>{enabled ? 'Disable' : 'Enable'}</Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" onClick={() => setRemoving(true)}>
            Remove…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={removing}
        onClose={() => setRemoving(false)}
        title={`Remove #${name}?`}
        confirm="Remove channel"
        danger
        onConfirm={async () => {
          await call('DELETE /w/:slug/channels/:channel', { slug, channel: name })
          await again()
        }}
      >
        Its deliveries are deleted with it, also those that were not sent yet. Rules that name it no longer do.
      </Confirm>
    </>
  )
}
