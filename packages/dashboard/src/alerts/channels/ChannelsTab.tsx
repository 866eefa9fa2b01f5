import { ActionIcon, Button, Menu } from '@mantine/core'
import type { ChannelRow, RuleSettings } from '@svc/api'
import { IconDots, IconPlus, IconSend } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { Empty, Section, Text, Time, Tone, useConfirm } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { QueryState } from '../../ui/pages/QueryState.tsx'
import type { AlertTabProps } from '../parts/props.ts'
import { useAlertChange, useReloadAlerts } from '../parts/useAlertChange.ts'
import { rulesOf } from '../parts/words.ts'
import { AddChannelDialog } from './AddChannelDialog.tsx'
import { ChannelState, DisabledBecause, LastAnswer, TestButton, TestResult } from './ChannelParts.tsx'
import { kindIcon, kindName } from './channel-kinds.ts'
import { useChannelTest } from './useChannelTest.ts'

/** The channels of the workspace. Admins see each with its address and the last answer of its receiver. */
export default function ChannelsTab({ slug, admin }: AlertTabProps) {
  const query = useQuery(read('GET /w/:slug/channels', { slug }))
  const { data } = query
  const rules = useQuery(read('GET /w/:slug/rules', { slug })).data
  const [adding, setAdding] = useState(false)
  const add = admin && (
    <Button size="xs" leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setAdding(true)}>
      Add channel
    </Button>
  )
  return (
    <>
      <QueryState of={query} />
      {data &&
        (data.length === 0 ? (
          <Empty icon={IconSend} title="No channels yet" action={add} help="alerts#send-it-somewhere">
            {admin
              ? 'A channel is where alerts are sent: a webhook, a chat, a mailbox.'
              : 'Channels that admins add are listed here, without the addresses and answers that only admins see.'}
          </Empty>
        ) : (
          <Section title="Channels" aside={add} flush>
            <ul className="svc-rows" aria-label="Channels">
              {data.map((channel) => (
                <ChannelLine key={channel.name} slug={slug} channel={channel} rules={rules} admin={admin} />
              ))}
            </ul>
          </Section>
        ))}
      {admin && <AddChannelDialog slug={slug} opened={adding} onClose={() => setAdding(false)} />}
    </>
  )
}

interface ChannelLineProps {
  slug: string
  channel: ChannelRow
  /** The rules of the workspace; undefined until they are loaded. */
  rules: readonly RuleSettings[] | undefined
  admin: boolean
}

/**
 * Shows one channel of the workspace with the rules that notify it and the last answer of its receiver. Admins can
 * test, disable and remove the channel here.
 */
function ChannelLine({ slug, channel, rules, admin }: ChannelLineProps) {
  const { name, kind, address, format, enabled, disabledBecause, lastAnswer, lastAt } = channel
  const Icon = kindIcon(kind)
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
      <Icon size={20} className="al-kind" aria-hidden />
      <div className="al-words al-channel">
        <div>
          <div className="al-name">
            <strong>#{name}</strong>
            <span>{kindName(kind)}</span>
            <ChannelState {...channel} />
          </div>
          <div className="al-gets">{rules && <ChannelMessages slug={slug} words={rulesOf(name, rules)} />}</div>
        </div>
        <div className="svc-quiet">
          <div>
            {address !== null && <Text>{address}</Text>}
            {address !== null && format === 'single' && ' · '}
            {format === 'single' && 'one message for each change'}
          </div>
          <div>
            {lastAt === null ? (
              'Nothing has been sent yet.'
            ) : (
              <LastDelivery at={lastAt} answer={lastAnswer} admin={admin} />
            )}
          </div>
        </div>
        <div className="al-channel-notes">
          <DisabledBecause reason={disabledBecause} />
          <div role="status">{test.value && <TestResult {...test.value} />}</div>
        </div>
      </div>
      {admin && (
        <div className="al-acts">
          <TestButton channel={`#${name}`} busy={test.busy} onTest={() => test.submit()} />
          <ChannelMenu slug={slug} name={name} enabled={enabled} busy={turn.busy} onTurn={() => turn.submit()} />
        </div>
      )}
    </li>
  )
}

/** Says which rules (`words`) notify a channel, with a link to the rules. Marks a channel that no rule notifies. */
function ChannelMessages({ slug, words }: { slug: string; words: string | null }) {
  const link = (text: string) => (
    <AnchorLink to={paths.alerts} params={{ slug }} search={{ tab: 'rules' }} fz="inherit" underline="always">
      {text}
    </AnchorLink>
  )
  if (words !== null) return <>Gets the alerts of {link(words)}.</>
  return (
    <>
      <Tone tone="lost">No rule notifies it.</Tone> {link('Rules')}
    </>
  )
}

interface LastProps {
  at: number
  answer: string | null
  admin: boolean
}

/** Shows when the channel was last sent a message and, to admins, what its receiver answered. */
const LastDelivery = ({ at, answer, admin }: LastProps) =>
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

function ChannelMenu({ slug, name, enabled, busy, onTurn }: MoreProps) {
  const again = useReloadAlerts(slug)
  const confirm = useConfirm()
  const askToRemove = () =>
    confirm({
      title: `Remove #${name}?`,
      content:
        'Its deliveries are deleted with it, also those that were not sent yet. Rules that name it no longer do.',
      confirm: 'Remove channel',
      danger: true,
      act: async () => {
        await call('DELETE /w/:slug/channels/:channel', { slug, channel: name })
        await again()
      },
    })
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" size={26} loading={busy} aria-label={`More about #${name}`}>
          <IconDots size={15} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onTurn}>{enabled ? 'Disable' : 'Enable'}</Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" onClick={askToRemove}>
          Remove…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
