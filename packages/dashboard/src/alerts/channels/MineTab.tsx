import { IconUserCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { Empty, ErrorNote, Section } from '../../ui/index.ts'
import { WaitingPage } from '../../ui/pages/WaitingPage.tsx'
import type { AlertTabProps } from '../parts/props.ts'
import { MyChannel } from './MyChannel.tsx'
import { NotifyButtons } from './NotifyButtons.tsx'

/** The personal channels of the signed-in person in this workspace. */
export default function MineTab({ slug }: AlertTabProps) {
  const { data, error, refetch } = useQuery(read('GET /w/:slug/my-channels', { slug }))
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  if (!data) return <WaitingPage />
  if (data.length === 0)
    return (
      <Empty
        icon={IconUserCircle}
        title="You are not notified yet"
        action={<NotifyButtons slug={slug} />}
        help="alerts#notify-a-browser"
      >
        Your own channels are sent the alerts that you choose, beside the channels of the workspace.
      </Empty>
    )
  const hasEmail = data.some(({ kind, enabled }) => kind === 'email' && enabled)
  return (
    <Section title="My channels" aside={<NotifyButtons slug={slug} hasEmail={hasEmail} />} flush>
      <ul className="svc-rows" aria-label="My channels">
        {data.map((channel) => (
          <MyChannel key={channel.name} slug={slug} channel={channel} />
        ))}
      </ul>
    </Section>
  )
}
