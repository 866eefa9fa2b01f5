import type { AgentAccount } from '@svc/protocol'
import { Section } from '../../ui/parts.tsx'
import { Facts } from '../../ui/values/Facts.tsx'

/** Shows the AI account that the agent's machine uses (2.1). */
export default function Account({ account }: { account: AgentAccount }) {
  return (
    <Section title="Account" flush>
      <Facts
        facts={[
          ['Organization', account.org],
          ['Plan', account.plan],
          ['E-mail', account.email],
        ]}
      />
    </Section>
  )
}
