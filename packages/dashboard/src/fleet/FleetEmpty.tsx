import { Button } from '@mantine/core'
import { IconRobot, IconSearchOff } from '@tabler/icons-react'
import { paths } from '../paths.ts'
import { Empty, Text } from '../ui/index.ts'
import { ButtonLink } from '../ui/links.tsx'

interface EmptyProps {
  slug: string
  /** True if the workspace has no agents; false if it has some that the filter hides. */
  none: boolean
  /** The text of the filter that is applied. */
  filter: string
  onAdd: (() => void) | undefined
}

export function FleetEmpty({ slug, none, filter, onAdd }: EmptyProps) {
  if (none)
    return (
      <Empty
        icon={IconRobot}
        title="No agents yet"
        help={onAdd ? 'start#connect-a-program-that-already-runs' : 'page#agents'}
        action={onAdd && <Button onClick={onAdd}>Add your first agent</Button>}
      >
        {onAdd
          ? 'Install an agent from a blueprint, or connect one that already runs. It will report here within a minute.'
          : 'Agents that admins add will be listed here.'}
      </Empty>
    )
  return (
    <Empty
      icon={IconSearchOff}
      title="No agents match"
      help={null}
      action={
        <ButtonLink to={paths.fleet} params={{ slug }} variant="default">
          Show all agents
        </ButtonLink>
      }
    >
      No agent fits <Text mono>{filter}</Text>.
    </Empty>
  )
}
