import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '../../ui/index.ts'
import { count } from '../../ui/time/format.ts'

/**
 * Asks before the person leaves the agent's page with unsent changes. Switching between tabs never asks, because all
 * tabs are on the same path.
 */
export function LeaveUnsent({ changes }: { changes: number }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => changes > 0 && current.pathname !== next.pathname,
    enableBeforeUnload: () => changes > 0,
    withResolver: true,
  })
  return (
    <Confirm
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without sending?"
      confirm="Discard and leave"
      danger
      keepOpen
      onConfirm={async () => blocker.proceed?.()}
    >
      {`You changed ${count(changes, 'setting')} and did not send ${changes === 1 ? 'it' : 'them'} to the agent.`}
    </Confirm>
  )
}
