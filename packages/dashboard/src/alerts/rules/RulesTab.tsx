import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { ErrorNote, Section } from '../../ui/index.ts'
import { WaitingPage } from '../../ui/pages/WaitingPage.tsx'
import { MessageDetail } from '../parts/MessageDetail.tsx'
import type { AlertTabProps } from '../parts/props.ts'
import { RuleLine } from './RuleLine.tsx'

/** The alert rules of the workspace as sentences, which admins edit in place. */
export default function RulesTab({ slug, admin }: AlertTabProps) {
  const rules = useQuery(read('GET /w/:slug/rules', { slug }))
  const channels = useQuery(read('GET /w/:slug/channels', { slug }))
  const error = rules.error ?? channels.error
  if (error) return <ErrorNote error={error} retry={() => Promise.all([rules.refetch(), channels.refetch()])} />
  if (!rules.data || !channels.data) return <WaitingPage />
  const names = channels.data.map(({ name }) => name)
  return (
    <>
      <Section title="Rules" aside={admin ? undefined : 'Only admins can change them.'} flush>
        <ul className="svc-rows" aria-label="Rules">
          {rules.data.map((rule) => (
            <RuleLine key={rule.rule} slug={slug} rule={rule} channels={names} admin={admin} />
          ))}
        </ul>
      </Section>
      {admin && <MessageDetail slug={slug} />}
    </>
  )
}
