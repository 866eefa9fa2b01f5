import { Button } from '@mantine/core'
import { IconPlus, IconSend } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../../data/queries.ts'
import { Empty, ErrorNote, Section } from '../../ui/index.ts'
import { WaitingPage } from '../../ui/pages/WaitingPage.tsx'
import type { AlertTabProps } from '../parts/props.ts'
import { AddChannel } from './AddChannel.tsx'
import { ChannelLine } from './ChannelLine.tsx'

/** The channels of the workspace. Admins see each with its address and the last answer of its receiver. */
export default function ChannelsTab({ slug, admin }: AlertTabProps) {
  const { data, error, refetch } = useQuery(read('GET /w/:slug/channels', { slug }))
  const [adding, setAdding] = useState(false)
  const add = admin && (
    <Button size="xs" leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setAdding(true)}>
      Add channel
    </Button>
  )
  return (
    <>
      {error && <ErrorNote error={error} retry={refetch} />}
      {!data && !error && <WaitingPage />}
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
                <ChannelLine key={channel.name} slug={slug} channel={channel} admin={admin} />
              ))}
            </ul>
          </Section>
        ))}
      {admin && <AddChannel slug={slug} opened={adding} onClose={() => setAdding(false)} />}
    </>
  )
}
