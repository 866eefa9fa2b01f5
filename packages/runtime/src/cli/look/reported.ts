/** Says in words whether the agent's reports reach the service. */
import { ago } from '../../machine/base/time.ts'
import type { AgentFacts } from './facts.ts'

export function reported({ last }: AgentFacts, now: number): string {
  if (!last) return 'never'
  const reached = last.reached === undefined ? 'never answered' : `last answered ${ago(now - last.reached)}`
  return last.failure === undefined
    ? reached
    : `${reached}; the last try, ${ago(now - last.sent)}, failed: ${last.failure}`
}
