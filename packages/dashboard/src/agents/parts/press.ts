/** Sends commands to an agent. The page shows each command at once, and follows it until the agent answers. */
import type { AgentPage, ShownCommand } from '@svc/api'
import { type CommandType, limits } from '@svc/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { call, type SentCommand } from '../../data/api.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { takeSentCommand } from '../../data/sent.ts'
import { serviceNow, useClock } from '../../ui/index.ts'
import { notifyFailed } from '../../ui/notify.tsx'
import type { CommandPress } from './agent.ts'
import { commandStateWords, isPendingCommand } from './life.ts'

interface FollowedCommands {
  readonly press: CommandPress
  /**
   * The commands to show, newest first: the pending commands of all people, and at most three ended ones that this
   * person sent, has not dismissed, and that are not in `left`.
   */
  readonly commands: readonly ShownCommand[]
  /** The commands that were carried out, and that the page has shown as such for ten seconds, newest first. */
  readonly left: readonly ShownCommand[]
  /** Removes an ended command from `commands`. The tab with all commands of the agent still lists it. */
  readonly dismiss: (id: string) => void
}

/** The maximum number of ended commands in the list above the tabs. */
const maxEnded = 3
/** The milliseconds after which a command that was carried out leaves the list. */
const staysMs = 10_000

/** Follows the commands that a person sends from an agent's page. */
export function usePress(slug: string, page: AgentPage | undefined, name: string): FollowedCommands {
  const client = useQueryClient()
  const [mine, setMine] = useState<readonly ShownCommand[]>([])
  useEffect(() => {
    const sent = takeSentCommand(slug, name)
    if (sent) setMine((before) => [sent, ...before])
  }, [slug, name])
  const ledger = useQuery({
    ...read('GET /w/:slug/agents/:name/commands', { slug, name }, { offset: 0, limit: 50 }),
    enabled: mine.length > 0,
  })
  const open = page?.open ?? []
  const hasSent = mine.length > 0

  const post = useCallback(
    async (body: SentCommand) => {
      const command = await call('POST /w/:slug/agents/:name/commands', { slug, name }, body)
      client.setQueryData(read('GET /w/:slug/agents/:name', { slug, name }).queryKey, (old) => withOpen(old, command))
      void client.invalidateQueries({ queryKey: queryKeys.agent(slug, name) })
      return command
    },
    [client, slug, name],
  )
  const press = useMemo<CommandPress>(
    () => ({
      hasSent,
      under: (body) => open.find((command) => isSame(command, body)),
      sendQuietly: post,
      send: async (body) => {
        try {
          const command = await post(body)
          setMine((before) => [command, ...before.filter(({ id }) => id !== command.id)])
          return command
        } catch (error) {
          notifyFailed('Not sent', error)
          throw error
        }
      },
    }),
    [post, open, hasSent],
  )
  const dismiss = (id: string) => setMine((before) => before.filter((command) => command.id !== id))
  const all = mergedCommands(open, mine, ledger.data?.rows ?? [])
  const seenApplied = useSeenApplied(all)
  const gone = useClock((now) =>
    all
      .filter(({ id }) => leavesList(seenApplied.get(id), now))
      .map(({ id }) => id)
      .join(' '),
  )
  const ids = new Set(gone.split(' '))
  const [left, commands] = [true, false].map((has) => all.filter(({ id }) => ids.has(id) === has))
  return { press, dismiss, commands: commands ?? [], left: left ?? [] }
}

/** Returns, for each command that was carried out, when the page first saw that, by the service's clock. */
function useSeenApplied(commands: readonly ShownCommand[]): ReadonlyMap<string, number> {
  const [seen, setSeen] = useState<ReadonlyMap<string, number>>(new Map())
  const fresh = commands.filter((command) => commandStateWords(command).tone === 'good' && !seen.has(command.id))
  useEffect(() => {
    if (fresh.length > 0) setSeen(new Map([...seen, ...fresh.map(({ id }) => [id, serviceNow()] as const)]))
  })
  return seen
}

/** True ten seconds after `seenAt`, when the page first saw that a command was carried out; false without `seenAt`. */
export const leavesList = (seenAt: number | undefined, now: number): boolean =>
  seenAt !== undefined && now - seenAt >= staysMs

/**
 * Returns the commands of `open` (the pending ones) and of `ownCommands` (those that the person sent on this page),
 * newest first, but only the newest three that have ended. From `ledger`, the agent's last commands, only newer states
 * of these commands are taken.
 */
export function mergedCommands(
  open: readonly ShownCommand[],
  ownCommands: readonly ShownCommand[],
  ledger: readonly ShownCommand[],
): ShownCommand[] {
  const freshest = new Map<string, ShownCommand>()
  const opened = new Set(open.map(({ id }) => id))
  for (const command of [...ownCommands, ...open]) freshest.set(command.id, command)
  for (const command of ledger) {
    const known = freshest.get(command.id)
    if (known && (isPendingCommand(known) || !isPendingCommand(command)))
      freshest.set(command.id, laterOf(known, command))
  }
  const all = [...freshest.values()].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
  let answered = 0
  return all.filter((command) => opened.has(command.id) || isPendingCommand(command) || ++answered <= maxEnded)
}

const progressOf = (c: ShownCommand) => (c.state === 'queued' ? 0 : c.state === 'delivered' ? 1 : 2)
/**
 * Returns the later of two states of a command. Answers of the service may arrive out of order, but a command never
 * returns to an earlier state (I2).
 */
const laterOf = (a: ShownCommand, b: ShownCommand) => (progressOf(b) >= progressOf(a) ? b : a)

const withOpen = (page: AgentPage | undefined, command: ShownCommand) =>
  page && isPendingCommand(command) && !page.open.some(({ id }) => id === command.id)
    ? { ...page, open: [...page.open, command] }
    : page

/**
 * True if the service would answer the new command `body` with the pending `command` instead of queueing another (D5).
 */
function isSame(command: ShownCommand, body: SentCommand): boolean {
  const type: CommandType = body.type
  if (command.type !== type || type === 'set') return false
  return body.type !== 'log' || (command.payload as { name?: unknown }).name === body.payload.name
}

/** The minutes after which a command without an answer times out. */
export const minutesToAnswer = limits.commandSeconds / 60

/** The sentence about a command to an agent that is offline. */
export const offlineText = `The agent is offline: without a report within ${minutesToAnswer} minutes, this expires.`
