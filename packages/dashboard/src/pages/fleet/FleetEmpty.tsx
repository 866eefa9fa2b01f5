import { Button } from '@mantine/core'
import { IconRobot, IconSearchOff } from '@tabler/icons-react'
import { ButtonLink } from '../../links.tsx'
import { paths } from '../../paths.ts'
import { Empty, Text } from '../../ui/index.ts'
import type { FleetView } from './view.ts'

interface EmptyProps {
  slug: string
  /** There is no agent at all. */
  none: boolean
  view: FleetView
  onAdd: (() => void) | undefined
}

export function FleetEmpty({ slug, none, view, onAdd }: EmptyProps) {
  if (none)
    return (
      <Empty
        icon={IconRobot}
        title="No agents yet"
        action={onAdd && <Button onClick={onAdd}>Add your first agent</Button>}
      >
        {onAdd
          ? 'Install one from a blueprint with a code, or connect one that runs already: it reports here within a minute.'
          : 'An admin of this workspace adds them. They will be listed here.'}
      </Empty>
    )
  return (
    <Empty
      icon={IconSearchOff}
      title="No agent matches"
      action={
        <ButtonLink to={paths.fleet} params={{ slug }} variant="default">
          Show all agents
        </ButtonLink>
      }
    >
      {view.search ? (
        <>
          Nothing here is called “<Text>{view.search}</Text>”{view.show ? ' in this filter' : ''}.
        </>
      ) : (
        'None is in this state now.'
      )}
    </Empty>
  )
}
