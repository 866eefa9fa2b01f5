import type { Control } from '@svc/protocol'
import { useNavigate } from '@tanstack/react-router'
import { listBefore } from '../../data/returning.ts'
import { paths } from '../../paths.ts'
import { usePageActions } from '../../ui/keys/actions.ts'
import { useKey } from '../../ui/keys/useKeys.ts'
import type { Agent } from '../parts/agent.ts'
import { controlNames } from '../parts/life.ts'

/** The keys of an agent's page, and its controls in the palette. */
export function AgentKeys({ agent: { slug, page, press } }: { agent: Agent }) {
  const navigate = useNavigate()
  // The list scrolls to the agent by itself.
  const list = { to: paths.fleet, params: { slug }, ...listBefore(slug), resetScroll: false } as const
  useKey('back', () => void navigate(list))
  const offered = page.canAct ? (page.report?.controls ?? []) : []
  usePageActions(
    (Object.keys(controlNames) as Control[])
      .filter((type) => offered.includes(type) && press.under({ type }) === undefined)
      .map((type) => ({
        words: `${controlNames[type]}: ${page.name}`,
        run: () => press.send({ type }).catch(() => undefined),
      })),
  )
  return null
}
