import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconBellOff } from '@tabler/icons-react'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { serviceNow } from '../../ui/index.ts'
import { useAlertChange } from '../parts/useAlertChange.ts'
import { coveredBy, type MuteCover } from '../parts/words.ts'
import { muteLengths } from './mute-lengths.ts'
import { coverFields, PlannedMuteDialog } from './PlannedMuteDialog.tsx'

interface MuteMenuProps {
  slug: string
  covered: MuteCover
  iconOnly?: boolean
}

/**
 * A button that mutes an agent, one of its health items, a rule or the workspace. Its menu offers several lengths of
 * the mute.
 */
export function MuteMenu({ slug, covered, iconOnly = false }: MuteMenuProps) {
  const [planning, setPlanning] = useState(false)
  const what = coveredBy(covered)
  const mute = useAlertChange(slug, 'Not muted', (seconds: number | null) =>
    call('POST /w/:slug/mutes', { slug }, { ...coverFields(covered), seconds }),
  )
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          {iconOnly ? (
            <ActionIcon variant="default" size={26} loading={mute.busy} aria-label={`Mute ${what}`}>
              <IconBellOff size={14} aria-hidden />
            </ActionIcon>
          ) : (
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconBellOff size={14} aria-hidden />}
              loading={mute.busy}
              aria-label={`Mute ${what}`}
            >
              {covered.agent === null && covered.rule === null ? 'Mute the workspace' : 'Mute'}
            </Button>
          )}
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Mute {what}</Menu.Label>
          {muteLengths.map(([words, seconds]) => (
            <Menu.Item key={words} onClick={() => mute.submit(seconds(serviceNow()))}>
              {words}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setPlanning(true)}>Planned window…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {planning && <PlannedMuteDialog slug={slug} covered={covered} onClose={() => setPlanning(false)} />}
    </>
  )
}

interface MuteManyProps {
  slug: string
  /** The mutes to set, at least one. */
  covered: readonly MuteCover[]
  done?: () => void
}

/** A button that mutes several agents, health items or rules for the same length. */
export function MuteMany({ slug, covered, done }: MuteManyProps) {
  const muteAll = async (seconds: number | null) => {
    for (const one of covered) await call('POST /w/:slug/mutes', { slug }, { ...coverFields(one), seconds })
  }
  const mute = useAlertChange(slug, 'Not all muted', muteAll, done)
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconBellOff size={14} aria-hidden />}
          loading={mute.busy}
          aria-label={`Mute all ${covered.length}`}
        >
          Mute
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Mute all {covered.length}</Menu.Label>
        {muteLengths.map(([words, seconds]) => (
          <Menu.Item key={words} onClick={() => mute.submit(seconds(serviceNow()))}>
            {words}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
