import { Button, Menu } from '@mantine/core'
import { IconBellOff } from '@tabler/icons-react'
import { call } from '../../data/api.ts'
import { serviceNow } from '../../ui/index.ts'
import { useAlertChange } from '../parts/useAlertChange.ts'
import type { Covered } from '../parts/words.ts'
import { muteLengths } from './mute-lengths.ts'

interface MuteManyProps {
  slug: string
  /** The mutes to set, at least one. */
  covered: readonly Covered[]
  done?: () => void
}

/** A button that mutes several agents, health items or rules for the same length. */
export function MuteMany({ slug, covered, done }: MuteManyProps) {
  const mute = useAlertChange(slug, 'Not all muted', async (seconds: number | null) => {
    for (const { agent, rule, item } of covered)
      await call(
        'POST /w/:slug/mutes',
        { slug },
        {
          ...(agent !== null && { agent }),
          ...(rule !== null && { rule }),
          ...(item != null && { item }),
          seconds,
        },
      )
  })
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconBellOff size={14} aria-hidden />}
          loading={mute.isPending}
          aria-label={`Mute all ${covered.length}`}
        >
          Mute
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Mute all {covered.length}</Menu.Label>
        {muteLengths.map(([words, seconds]) => (
          <Menu.Item key={words} onClick={() => mute.mutate(seconds(serviceNow()), { onSuccess: () => done?.() })}>
            {words}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
