import { Loader } from '@mantine/core'
import type { RolloutPreview } from '@svc/api'
import type { UseQueryResult } from '@tanstack/react-query'
import { AnchorLink } from '../../links.tsx'
import { paths } from '../../paths.ts'
import { count, ErrorNote, Scroll, Section, Text } from '../../ui/index.ts'
import { upToWords } from '../../updates/words.ts'
import type { Plan } from './plan.ts'

interface PreviewProps {
  slug: string
  how: Plan['how']
  preview: UseQueryResult<RolloutPreview | null>
}

/** Shows, before an update is sent, which agents are in which wave, and which are left out and why. */
export function Preview({ slug, how, preview: { data, error, refetch } }: PreviewProps) {
  if (error) return <ErrorNote error={error} retry={refetch} />
  if (!data) return <Loader size="sm" m="md" aria-label="Loading" />
  const { waves, leftOut } = data
  return (
    <Section title="Preview" flush>
      <div className="up-preview">
        {waves.length === 0 && <p>No agents to update.</p>}
        {waves.map(({ upTo, agents }, i) => (
          <section key={upTo}>
            <h3>
              {how === 'waves' ? `Wave ${i + 1}, ${upToWords(upTo)}: ` : ''}
              {count(agents.length, 'agent')}
            </h3>
            <Scroll label={`Agents of wave ${i + 1}`} className="up-names">
              {agents.map((agent) => (
                <div key={agent}>{agent}</div>
              ))}
            </Scroll>
          </section>
        ))}
        {leftOut.length > 0 && (
          <section>
            <h3>Not included: {count(leftOut.length, 'agent')}</h3>
            <ul className="svc-list up-left-out">
              {leftOut.slice(0, 50).map(({ agent, message }) => (
                <li key={agent}>
                  <AnchorLink
                    to={paths.agent}
                    params={{ slug, name: agent }}
                    search={{ tab: 'updates' }}
                    fz="sm"
                    underline="always"
                  >
                    {agent}
                  </AnchorLink>{' '}
                  <span className="svc-quiet">
                    <Text>{message}</Text>
                  </span>
                </li>
              ))}
            </ul>
            {leftOut.length > 50 && <p className="svc-quiet">and {count(leftOut.length - 50, 'more', 'more')}</p>}
          </section>
        )}
      </div>
    </Section>
  )
}
