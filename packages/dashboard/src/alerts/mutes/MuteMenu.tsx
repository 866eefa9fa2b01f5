import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconBellOff, IconDots } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../data/api.ts'
import { serviceNow } from '../../ui/index.ts'
import { useAlertChange } from '../parts/useAlertChange.ts'
import { type MuteCover, muteCoverText } from '../parts/words.ts'
import { muteLengths } from './mute-lengths.ts'
import { muteCoverFields, PlannedMuteDialog } from './PlannedMuteDialog.tsx'

interface MuteMenuProps {
  slug: string
  covered: MuteCover
  /** Items to show above the lengths of the mute. The button is then an icon with this label. */
  more?: { label: string; items: ReactNode }
  /** False if there is nothing to mute, so that the menu has only the items of `more`. */
  mutes?: boolean
}

/**
 * A button that mutes an agent, one of its health items, a rule or the workspace. Its menu offers several lengths of
 * the mute.
 */
export function MuteMenu({ slug, covered, more, mutes = true }: MuteMenuProps) {
  const [planning, setPlanning] = useState(false)
  const what = muteCoverText(covered)
  const mute = useAlertChange(slug, 'Not muted', (seconds: number | null) =>
    call('POST /w/:slug/mutes', { slug }, { ...muteCoverFields(covered), seconds }),
  )
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          {more ? (
            <ActionIcon variant="default" size={26} loading={mute.busy} aria-label={more.label}>
              <IconDots size={15} aria-hidden />
            </ActionIcon>
          ) : (
            <Button
              className="al-mute"
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
          {more?.items}
          {mutes && (
            <>
              {more && <Menu.Divider />}
              <Lengths what={what} choose={mute.submit} />
              <Menu.Divider />
              <Menu.Item onClick={() => setPlanning(true)}>Planned window…</Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {planning && <PlannedMuteDialog slug={slug} covered={covered} onClose={() => setPlanning(false)} />}
    </>
  )
}

interface LengthsProps {
  what: string
  choose: (seconds: number | null) => void
}

/** The lengths of a mute, as items of a menu. */
const Lengths = ({ what, choose }: LengthsProps) => (
  <>
    <Menu.Label>Mute {what}</Menu.Label>
    {muteLengths.map(([words, seconds]) => (
      <Menu.Item key={words} onClick={() => choose(seconds(serviceNow()))}>
        {words}
      </Menu.Item>
    ))}
  </>
)

interface MuteManyProps {
  slug: string
  /** The mutes to set, at least one. */
  covered: readonly MuteCover[]
  done?: () => void
}

/** A button that mutes several agents, health items or rules for the same length. */
export function MuteMany({ slug, covered, done }: MuteManyProps) {
  const muteAll = async (seconds: number | null) => {
    for (const one of covered) await call('POST /w/:slug/mutes', { slug }, { ...muteCoverFields(one), seconds })
  }
  const mute = useAlertChange(slug, 'Not all muted', muteAll, done)
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          className="al-mute"
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
        <Lengths what={`all ${covered.length}`} choose={mute.submit} />
      </Menu.Dropdown>
    </Menu>
  )
}
