import { Button, Group, Stack } from '@mantine/core'
import type { BulkResult } from '@svc/api'
import { IconPlayerPause, IconPlayerPlay, IconPlayerTrackNext, IconRefreshDot } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { ButtonLink } from '../../links.tsx'
import { paths } from '../../paths.ts'
import { keys } from '../../queries.ts'
import { Confirm, Dialog, Text } from '../../ui/index.ts'
import { handOver } from '../../updates/chosen.ts'
import type { Selection } from './useSelection.ts'

type BulkCommand = 'pause' | 'resume' | 'run_now'

const commands = [
  { type: 'pause', words: 'Pause', icon: IconPlayerPause, means: 'start no new runs until resumed' },
  { type: 'resume', words: 'Resume', icon: IconPlayerPlay, means: 'return to their own schedule' },
  { type: 'run_now', words: 'Run now', icon: IconPlayerTrackNext, means: 'start a run now, which may cost money' },
] as const satisfies { type: BulkCommand; words: string; icon: unknown; means: string }[]

/** The page splits a command for many agents into requests with at most this many agents each. */
const atATime = 200

/** Sends one command to all selected agents, and shows for each whether it was queued or why it was refused. */
export function BulkBar({ slug, selection }: { slug: string; selection: Selection }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState<(typeof commands)[number] | null>(null)
  const [done, setDone] = useState<{ words: string; results: BulkResult[] } | null>(null)
  const names = [...selection.names]
  const count = names.length.toLocaleString('en-US')
  const send = async () => {
    if (!asking) return
    const results: BulkResult[] = []
    for (let i = 0; i < names.length; i += atATime)
      results.push(...(await api.sendToMany(slug, names.slice(i, i + atATime), asking.type)))
    setDone({ words: asking.words, results })
    selection.clear()
    for (const { agent } of results) void client.invalidateQueries({ queryKey: keys.agent(slug, agent) })
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
        confirm={`${asking?.words} ${count}`}
        onConfirm={send}
      >
        Each agent gets the command with its next report and decides for itself. Those that accept {asking?.means}. See
        each agent’s page for its answer. A command expires if its agent does not report within ten minutes.
      </Confirm>
      <Dialog
        opened={done !== null}
        onClose={() => setDone(null)}
        title={`${done?.words} sent to ${(done?.results.filter(({ ok }) => ok).length ?? 0).toLocaleString('en-US')} agents`}
      >
        {done && <Results slug={slug} results={done.results} onClose={() => setDone(null)} />}
      </Dialog>
    </>
  )
}

function Results({ slug, results, onClose }: { slug: string; results: BulkResult[]; onClose: () => void }) {
  const refused = results.filter(({ ok }) => !ok)
  const sent = results.filter(({ ok }) => ok)
  const line = ({ agent, message }: BulkResult) => (
    <li key={agent}>
      <Link to={paths.agent} params={{ slug, name: agent }} search={{ tab: 'commands' }} onClick={onClose}>
        {agent}
      </Link>
      {message !== null && (
        <span className="svc-quiet">
          {' '}
          <Text>{message}</Text>
        </span>
      )}
    </li>
  )
  return (
    <Stack gap="sm">
      {refused.length > 0 && (
        <section>
          <h3 className="fleet-result">Not sent to {refused.length.toLocaleString('en-US')}</h3>
          <ul className="fleet-results">{refused.map(line)}</ul>
        </section>
      )}
      {sent.length > 0 && (
        <section>
          <h3 className="fleet-result">Waiting for the next report of {sent.length.toLocaleString('en-US')}</h3>
          <ul className="fleet-results">{sent.map(line)}</ul>
        </section>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}
