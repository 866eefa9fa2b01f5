import { Button, Menu } from '@mantine/core'
import type { ActionType } from '@svc/api'
import {
  IconAdjustments,
  IconDots,
  IconFileText,
  IconLockOpen,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconRefreshDot,
  IconTag,
  IconTrash,
} from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { SelectionIdleTerms } from '../actions/dialogs/SelectionIdleTerms.tsx'
import { typeWords } from '../actions/dialogs/words.ts'
import { paths } from '../paths.ts'
import { lazyPart } from '../ui/files.tsx'
import { ButtonLink } from '../ui/links.tsx'
import { keepChosenAgents } from '../updates/parts/chosen.ts'
import type { Selection } from './useSelection.ts'

const TagsDialog = lazyPart(async () => ({ default: (await import('../agents/dialogs/TagsDialog.tsx')).TagsDialog }))
const ActionDialog = lazyPart(async () => ({
  default: (await import('../actions/dialogs/ActionDialog.tsx')).ActionDialog,
}))

const shown = [
  { type: 'pause', icon: IconPlayerPause },
  { type: 'resume', icon: IconPlayerPlay },
  { type: 'run_now', icon: IconPlayerTrackNext },
] as const satisfies { type: ActionType; icon: unknown }[]

/**
 * The bar with the buttons for the selected agents. A button sends one command to all of them and opens the page with
 * the outcome for each. Further buttons update the agents, or change their tags.
 */
export function BulkBar({ slug, selection }: { slug: string; selection: Selection }) {
  const [asking, setAsking] = useState<ActionType | null>(null)
  const [tagging, setTagging] = useState(false)
  const names = [...selection.names]
  if (names.length === 0) return null
  return (
    <>
      <section className="fleet-bulk" aria-label="Selected agents">
        <SelectionIdleTerms slug={slug} filter={selection.filter} />
        <span className="fleet-bulk-count" role="status">
          {names.length.toLocaleString('en-US')} selected
        </span>
        {shown.map(({ type, icon: Icon }) => (
          <Button
            key={type}
            className="fleet-bulk-command"
            size="compact-sm"
            variant="default"
            leftSection={<Icon size={14} aria-hidden />}
            onClick={() => setAsking(type)}
          >
            {typeWords[type]}
          </Button>
        ))}
        <ButtonLink
          className="fleet-bulk-command"
          to={paths.update}
          params={{ slug }}
          search={{ agents: 'chosen' }}
          onClick={() => keepChosenAgents(slug, names)}
          size="compact-sm"
          variant="default"
          leftSection={<IconRefreshDot size={14} aria-hidden />}
        >
          Update…
        </ButtonLink>
        <MoreActions ask={setAsking} tag={() => setTagging(true)} />
        <Button size="compact-sm" variant="subtle" color="gray" onClick={selection.clear}>
          Clear
        </Button>
      </section>
      {tagging && (
        <Suspense>
          <TagsDialog
            slug={slug}
            names={names}
            note={<SelectionIdleTerms slug={slug} filter={selection.filter} />}
            onClose={() => setTagging(false)}
            onGone={(gone) => {
              if (gone.length === names.length) setTagging(false)
              selection.set(gone, false)
            }}
          />
        </Suspense>
      )}
      {asking !== null && (
        <Suspense>
          <ActionDialog
            slug={slug}
            type={asking}
            names={names}
            filter={selection.filter}
            onClose={() => setAsking(null)}
            onSent={() => {
              setAsking(null)
              selection.clear()
            }}
            onGone={(gone) => {
              if (gone.length === names.length) setAsking(null)
              selection.set(gone, false)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

const MoreActions = ({ ask, tag }: { ask: (type: ActionType) => void; tag: () => void }) => (
  <Menu position="top-end" withinPortal>
    <Menu.Target>
      <Button
        className="fleet-bulk-command"
        size="compact-sm"
        variant="default"
        leftSection={<IconDots size={14} aria-hidden />}
      >
        More
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item leftSection={<IconTag size={15} aria-hidden />} onClick={tag}>
        Tags…
      </Menu.Item>
      <Menu.Item leftSection={<IconAdjustments size={15} aria-hidden />} onClick={() => ask('set')}>
        Change settings…
      </Menu.Item>
      <Menu.Item leftSection={<IconFileText size={15} aria-hidden />} onClick={() => ask('log')}>
        Request a log…
      </Menu.Item>
      <Menu.Item leftSection={<IconLockOpen size={15} aria-hidden />} onClick={() => ask('lift')}>
        Lift holds…
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item color="red" leftSection={<IconTrash size={15} aria-hidden />} onClick={() => ask('delete')}>
        Delete…
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
)
