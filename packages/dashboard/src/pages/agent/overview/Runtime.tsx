import type { Applied, Outcome, RuntimeInfo } from '@svc/protocol'
import { Section } from '../ui.tsx'
import { Facts } from './Facts.tsx'

const outcomes: Readonly<Record<Outcome, string>> = { ok: 'ok', rolled_back: 'rolled back', failed: 'failed' }
const outcome = (applied: Applied | undefined) =>
  applied && [applied.outcome && outcomes[applied.outcome], applied.message].filter(Boolean).join(': ')

/** What runs the agent, and what became of the last updates (2.5, 2.6). */
export const Runtime = ({ applied, runtime }: { applied: Applied | undefined; runtime: RuntimeInfo | undefined }) => (
  <Section title="Versions" flush>
    <Facts
      facts={[
        ['Blueprint version', applied?.version],
        ['Last update', outcome(applied)],
        ['Runtime', runtime?.version],
        ['Runtime kept beside it', runtime?.previous],
        ['Runtime pinned to', runtime?.pinned],
        ['Last runtime update', outcome(runtime?.applied)],
      ]}
    />
  </Section>
)
