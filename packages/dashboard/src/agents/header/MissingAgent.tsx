import { IconRobotOff } from '@tabler/icons-react'
import { isRefusal } from '../../data/api.ts'
import { ErrorNote } from '../../ui/index.ts'
import { NotThere } from '../../ui/pages/NotThere.tsx'

interface MissingAgentProps {
  slug: string
  error: Error | null
  retry: () => unknown
}

/** The page of an agent that does not exist, or could not be loaded. */
export default function MissingAgent({ slug, error, retry }: MissingAgentProps) {
  if (!isRefusal(error, 404)) return <ErrorNote error={error} retry={retry} />
  return (
    <NotThere slug={slug} back="fleet" icon={IconRobotOff} title="Agent not found">
      It may have been renamed or deleted.
    </NotThere>
  )
}
