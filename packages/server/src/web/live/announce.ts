/**
 * Announces changes to the other nodes on one PostgreSQL by NOTIFY. Changes are collected for a moment, and those of
 * one kind and workspace share a message. If a message could not be sent, a later one says that some are missing.
 */
import type pg from 'pg'
import type { Live } from '../../platform/base.ts'

/** The channel of PostgreSQL on which nodes announce changes to each other. */
export const liveChannel = 'svc_live'
/**
 * The kinds of changes: a report, another change of agents, of lists, of alerts, and of rights (`g`). A node of an
 * earlier version takes `g` for a change that affects no agent, and so ignores it.
 */
type Kind = 'r' | 'c' | 'l' | 'a' | 'g'
/**
 * A message. `node` is the id of the process that sent it, which is a command of `svc-server` and not a running node if
 * `command` is true. The kind `w` names the agents whose pages are open on the node, or further ones if `adds` is true,
 * and `m` says that messages are missing.
 */
export type NodeMessage = { node: string; command?: true } & (
  | { kind: Kind; workspace: string; agents: string[] }
  | { kind: 'w'; agents: string[]; adds?: true }
  | { kind: 'm' }
)
/**
 * Announces changes that were made on this node to the other nodes, and with `watched` the agents whose pages are open
 * on this node.
 */
interface Announcer extends Omit<Live, 'isWatched' | 'nodesHeard'> {
  watched(agentIds: readonly string[]): void
  /**
   * Sends what was announced so far, and resolves when all messages were sent or have failed. Nothing is sent
   * afterwards.
   */
  close(): Promise<void>
}

/**
 * The milliseconds for which announcements are collected before they are sent, and the milliseconds after which a
 * failed sending is tried again.
 */
const gatherMs = 100
const retryMs = 1_000
/** The maximum number of ids in a message. PostgreSQL allows 8000 bytes, and an id takes 39. */
const maxIds = 150

/** Makes the announcer of this process. */
export function announcer(
  pool: pg.Pool,
  from: Pick<NodeMessage, 'node' | 'command'>,
  failed: (error: unknown) => void = () => {},
): Announcer {
  const waiting = new Map<string, { kind: Kind; workspace: string; agents: Set<string> }>()
  let watchedAgents: readonly string[] | undefined
  let gathering: NodeJS.Timeout | undefined
  let retrying: NodeJS.Timeout | undefined
  let sending = Promise.resolve()
  let missing = false
  let closed = false

  const say = (kind: Kind, workspace: string, agentId?: string) => {
    const key = `${kind} ${workspace}`
    const one = waiting.get(key) ?? { kind, workspace, agents: new Set<string>() }
    if (agentId !== undefined) one.agents.add(agentId)
    waiting.set(key, one)
    gathering ??= setTimeout(flush, gatherMs)
  }

  function watched(agentIds: readonly string[]): void {
    watchedAgents = agentIds
    gathering ??= setTimeout(flush, gatherMs)
  }

  function flush(): void {
    clearTimeout(gathering)
    gathering = undefined
    const all = [...waiting.values()]
    waiting.clear()
    const messages: object[] = all.flatMap(({ kind, workspace, agents }) =>
      parts([...agents]).map((part) => ({ kind, workspace, agents: part })),
    )
    if (watchedAgents) messages.push(...watchMessages(watchedAgents))
    watchedAgents = undefined
    if (messages.length > 0) send(messages)
  }

  function send(messages: object[]): void {
    if (closed) return
    const all = missing ? [...messages, { kind: 'm' }] : messages
    missing = false
    const texts = all.map((message) => JSON.stringify({ ...from, ...message }))
    const sent = pool.query('select pg_notify($1, text) from unnest($2::text[]) as text', [liveChannel, texts])
    sending = Promise.all([sending, sent]).then(
      () => {},
      (error: unknown) => {
        missing = true
        failed(error)
        if (!closed) retrying ??= setTimeout(retry, retryMs).unref()
      },
    )
  }
  function retry(): void {
    retrying = undefined
    if (missing) send([])
  }

  return {
    reported: (workspace, agentId) => say('r', workspace, agentId),
    changed: (workspace, agentId) => say('c', workspace, agentId),
    listChanged: (workspace) => say('l', workspace),
    alertsChanged: (workspace) => say('a', workspace),
    rightsChanged: async () => say('g', ''),
    watched,
    async close() {
      flush()
      closed = true
      clearTimeout(retrying)
      await sending
    },
  }
}

/** The messages about watched agents. The last one is the fullest, because nodes of earlier versions know only that. */
const watchMessages = (agentIds: readonly string[]): object[] =>
  parts(agentIds)
    .reverse()
    .map((agents, i) => ({ kind: 'w', agents, ...(i > 0 && { adds: true }) }))

/** Splits ids into parts that fit into a message each. An empty list gives one empty part. */
function parts(ids: readonly string[]): (readonly string[])[] {
  if (ids.length <= maxIds) return [ids]
  return [ids.slice(0, maxIds), ...parts(ids.slice(maxIds))]
}
