import { Button, Group } from '@mantine/core'
import type { WishResult } from '@svc/api'
import { paths } from '../paths.ts'
import { count, Section, Text } from '../ui/index.ts'
import { AnchorLink, ButtonLink } from '../ui/links.tsx'

interface ResultsProps {
  slug: string
  results: readonly WishResult[]
  again: () => void
}

/** The results of a cancellation for many agents, agent by agent: refused ones first, each with the reason. */
export function Results({ slug, results, again }: ResultsProps) {
  const refused = results.filter(({ ok }) => !ok)
  const done = results.filter(({ ok }) => ok)
  const list = (some: readonly WishResult[]) => (
    <ul className="svc-rows">
      {some.map(({ agent, message }) => (
        <li key={agent}>
          <AnchorLink to={paths.agent} params={{ slug, name: agent }} search={{ tab: 'updates' }}>
            {agent}
          </AnchorLink>
          {message !== null && (
            <div className="svc-quiet">
              <Text>{message}</Text>
            </div>
          )}
        </li>
      ))}
    </ul>
  )
  return (
    <div className="svc-column">
      {refused.length > 0 && (
        <Section title={`Refused for ${count(refused.length, 'agent')}`} flush>
          {list(refused)}
        </Section>
      )}
      {done.length > 0 && (
        <Section title={`Cancelled for ${count(done.length, 'agent')}`} flush>
          {list(done)}
        </Section>
      )}
      <Group gap="xs">
        <ButtonLink to={paths.fleet} params={{ slug }}>
          View agents
        </ButtonLink>
        <Button variant="default" onClick={again}>
          Start another
        </Button>
      </Group>
    </div>
  )
}
