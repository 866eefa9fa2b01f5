import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { ErrorNote, Section } from '../../ui/index.ts'
import { useAlertChange } from './useAlertChange.ts'

/** Lets an admin choose whether messages to channels may contain the detail text of an agent. */
export function MessageDetail({ slug }: { slug: string }) {
  const { data, error, refetch } = useQuery(read('GET /w/:slug/alert-settings', { slug }))
  const set = useAlertChange(slug, 'Not changed', (detail: boolean) =>
    call('PATCH /w/:slug/alert-settings', { slug }, { detail }),
  )
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  if (!data) return null
  return (
    <Section title="Messages">
      <Checkbox
        label="Include the agent’s detail text"
        description="Messages about the levels Bad and Warning then also contain the detail that the agent reports. It leaves this service, and it may hold private text, such as subjects of mails. Without it they contain the level and the label."
        checked={set.isPending ? (set.variables ?? data.detail) : data.detail}
        onChange={(event) => set.mutate(event.currentTarget.checked)}
      />
    </Section>
  )
}
