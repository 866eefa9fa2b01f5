import { Button } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconPlayerTrackNext, IconRefreshDot } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { previewWords } from '../../actions/words.ts'
import { api } from '../../api.ts'
import { ButtonLink } from '../../links.tsx'
import { paths } from '../../paths.ts'
import { keys } from '../../queries.ts'
import { Confirm } from '../../ui/index.ts'
import { handOver } from '../../updates/chosen.ts'
import type { Selection } from './useSelection.ts'

type BulkCommand = 'pause' | 'resume' | 'run_now'

const commands = [
  { type: 'pause', words: 'Pause', icon: IconPlayerPause, means: 'start no new runs until resumed' },
  { type: 'resume', words: 'Resume', icon: IconPlayerPlay, means: 'return to their own schedule' },
  { type: 'run_now', words: 'Run now', icon: IconPlayerTrackNext, means: 'start a run now, which may cost money' },
] as const satisfies { type: BulkCommand; words: string; icon: unknown; means: string }[]

/** Sends one command to all selected agents, and leads to the page with the outcome for each. */
export function BulkBar({ slug, selection }: { slug: string; selection: Selection }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState<(typeof commands)[number] | null>(null)
  const names = [...selection.names]
  const count = names.length.toLocaleString('en-US')
  const { data: preview } = useQuery({
    queryKey: ['w', slug, 'preview', asking?.type, names],
    queryFn: () => api.previewAction(slug, { type: asking?.type ?? 'pause', agents: names }),
    enabled: asking !== null,
    staleTime: 0,
  })
  const reached = (preview?.sends ?? names.length).toLocaleString('en-US')
  const skipped = asking && preview && previewWords(asking.type, preview)
  const send = async () => {
    if (!asking) return
    const { id } = await api.startAction(slug, { type: asking.type, agents: names })
    selection.clear()
    void client.invalidateQueries({ queryKey: keys.actions(slug) })
    await navigate({ to: paths.action, params: { slug, id } })
  }
  return (
    <>
      {names.length > 0 && (
        <section className="fleet-bulk" aria-label="Selected agents">
          <span className="fleet-bulk-count" role="status">
            {count} selected
          </span>
          {commands.map((command) => (
            <Button
              key={command.type}
              className="fleet-bulk-command"
              size="compact-sm"
              variant="default"
              leftSection={<command.icon size={14} aria-hidden />}
              onClick={() => setAsking(command)}
            >
              {command.words}
            </Button>
          ))}
          <ButtonLink
            to={paths.update}
            params={{ slug }}
            search={{ agents: 'chosen' }}
            onClick={() => handOver(slug, names)}
            size="compact-sm"
            variant="default"
            leftSection={<IconRefreshDot size={14} aria-hidden />}
          >
            Update…
          </ButtonLink>
          <Button size="compact-sm" variant="subtle" color="gray" onClick={selection.clear}>
            Clear
          </Button>
        </section>
      )}
      <Confirm
        opened={asking !== null}
        onClose={() => setAsking(null)}
        title={`${asking?.words}: ${count} ${names.length === 1 ? 'agent' : 'agents'}?`}
        confirm={`${asking?.words} ${reached}`}
        disabled={preview?.sends === 0}
        onConfirm={send}
      >
        {skipped && (
          <p role="status">
            <strong>{skipped}.</strong>
          </p>
        )}
        <p>
          Each agent gets the command with its next report and decides for itself. Those that accept {asking?.means}. A
          command expires if its agent does not report within ten minutes. The next page shows each agent’s answer.
        </p>
      </Confirm>
    </>
  )
}
