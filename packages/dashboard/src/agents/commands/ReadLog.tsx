import { Button } from '@mantine/core'
import { useAgentPageParams } from '../parts/agent.ts'

/** A button that opens the log that an agent sent in answer to a command. */
export function ReadLog({ log }: { log: string }) {
  const { go } = useAgentPageParams()
  return (
    <Button variant="default" size="compact-sm" onClick={() => go({ tab: 'logs', log }, true)}>
      Read log
    </Button>
  )
}
