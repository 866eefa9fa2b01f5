import { Button, Group } from '@mantine/core'
import type { WishResult } from '@svc/api'
import { AnchorLink, ButtonLink } from '../../links.tsx'
import { paths } from '../../paths.ts'
import { count, Section, Text } from '../../ui/index.ts'
import type { Plan } from './plan.ts'

interface ResultsProps {
  slug: string
  results: readonly WishResult[]
  how: Plan['how']
  again: () => void
}

/** The results of a bulk update, agent by agent: refused ones first, each with the reason. */
export function Results({ slug, results, how, again }: ResultsProps) {
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
        <Section
          title={
            how === 'withdraw'
              ? `Cancelled for ${count(done.length, 'agent')}`
              : `Update sent to ${count(done.length, 'agent')}`
          }
          flush
        >
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
