import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconBellOff } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../api.ts'
import { serviceNow } from '../ui/index.ts'
import { MuteDialog } from './MuteDialog.tsx'
import { useAlertChange } from './useAlertChange.ts'
import { type Covered, coveredBy, tomorrowMorning } from './words.ts'

const hour = 3600

/**
 * The lengths of a mute that the menu offers, in seconds. Null means that the mute ends as soon as no alert that it
 * covers is open.
 */
const choices: readonly (readonly [words: string, seconds: (now: number) => number | null])[] = [
  ['For 1 hour', () => hour],
  ['For 8 hours', () => 8 * hour],
  ['Until tomorrow, 08:00', (now) => Math.ceil((tomorrowMorning(now) - now) / 1000)],
  ['Until it is over', () => null],
]

interface MuteMenuProps {
  slug: string
  covered: Covered
  iconOnly?: boolean
  defaultOpened?: boolean
}

/** A button that mutes an agent, a rule or the workspace. Its menu offers several lengths of the mute. */
export function MuteMenu({ slug, covered, iconOnly = false, defaultOpened = false }: MuteMenuProps) {
  const [planning, setPlanning] = useState(false)
  const what = coveredBy(covered)
  const mute = useAlertChange(slug, 'Not muted', (seconds: number | null) =>
    api.mute(slug, {
      ...(covered.agent !== null && { agent: covered.agent }),
      ...(covered.rule !== null && { rule: covered.rule }),
      seconds,
    }),
  )
  return (
    <>
      <Menu position="bottom-end" withinPortal defaultOpened={defaultOpened}>
        <Menu.Target>
          {iconOnly ? (
            <ActionIcon variant="default" size={26} loading={mute.isPending} aria-label={`Mute ${what}`}>
              <IconBellOff size={14} aria-hidden />
            </ActionIcon>
          ) : (
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconBellOff size={14} aria-hidden />}
              loading={mute.isPending}
              aria-label={`Mute ${what}`}
            >
              {covered.agent === null && covered.rule === null ? 'Mute the workspace' : 'Mute'}
            </Button>
          )}
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Mute {what}</Menu.Label>
          {choices.map(([words, seconds]) => (
            <Menu.Item key={words} onClick={() => mute.mutate(seconds(serviceNow()))}>
              {words}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setPlanning(true)}>Planned window…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {planning && <MuteDialog slug={slug} covered={covered} onClose={() => setPlanning(false)} />}
    </>
  )
}
