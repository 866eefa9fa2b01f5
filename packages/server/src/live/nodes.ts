/**
 * Several nodes on one PostgreSQL: what one node commits, the pages of the others hear of too, and an agent that is looked
 * at through one node is asked to report quickly by all. By LISTEN and NOTIFY; nothing is stored, and nothing depends on a
 * message arriving: a page that misses one is right again with the next, or when it asks.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Logger } from 'pino'

/** What other nodes are told and tell: ids by workspace, or the agents that are looked at there. */
export interface Heard {
  reported(workspaceId: string, agentId: string): void
  changed(workspaceId: string, agentId: string): void
  listChanged(workspaceId: string): void
  /** Messages may have been lost. */
  missed(): void
}
export interface Nodes extends Omit<Heard, 'missed'> {
  isWatched(agentId: string): boolean
  /** The agents that are looked at here are others now. */
  watchChanged(): void
  close(): Promise<void>
}
type Kind = 'r' | 'c' | 'l'
type Message = { node: string } & (
  | { kind: Kind; workspace: string; agents: string[] }
  | { kind: 'w'; agents: string[] }
)

const channel = 'svc_live'
/** Milliseconds. */
const gather = 100
const watchEvery = 5_000
const watchLasts = 15_000
const again = 1_000
/** A message holds 8000 bytes at most; an id takes 39. */
const idsMost = 150

export function joinNodes(pool: pg.Pool, log: Logger, heard: Heard, watchedHere: () => Iterable<string>): Nodes {
  const node = randomUUID()
  const waiting = new Map<string, { kind: Kind; workspace: string; agents: Set<string> }>()
  const watchedThere = new Map<string, { agents: Set<string>; until: number }>()
  let gathering: NodeJS.Timeout | undefined
  let retrying: NodeJS.Timeout | undefined
  let client: pg.PoolClient | undefined
  let closed = false

  const say = (kind: Kind, workspace: string, agentId?: string) => {
    const key = `${kind} ${workspace}`
    const one = waiting.get(key) ?? { kind, workspace, agents: new Set<string>() }
    if (agentId !== undefined) one.agents.add(agentId)
    waiting.set(key, one)
    gathering ??= setTimeout(flush, gather)
  }

  function flush(): void {
    gathering = undefined
    const all = [...waiting.values()]
    waiting.clear()
    send(
      all.flatMap(({ kind, workspace, agents }) =>
        parts([...agents]).map((part) => ({ kind, workspace, agents: part })),
      ),
    )
  }

  function send(messages: object[]): void {
    if (messages.length === 0 || closed) return
    const texts = messages.map((message) => JSON.stringify({ node, ...message }))
    pool.query('select pg_notify($1, text) from unnest($2::text[]) as text', [channel, texts]).catch((err: unknown) => {
      log.debug({ err }, 'The other nodes could not be told of changes.')
    })
  }

  function take(text: string | undefined): void {
    const message = JSON.parse(text ?? '{}') as Message
    if (message.node === node) return
    if (message.kind === 'w') {
      watchedThere.set(message.node, { agents: new Set(message.agents), until: performance.now() + watchLasts })
    } else if (message.kind === 'l') heard.listChanged(message.workspace)
    else {
      const tell = message.kind === 'r' ? heard.reported : heard.changed
      for (const agentId of message.agents) tell(message.workspace, agentId)
    }
  }

  async function listen(): Promise<void> {
    try {
      const mine = await pool.connect()
      if (closed) return mine.release()
      client = mine
      mine.on('notification', ({ payload }) => take(payload))
      mine.once('error', () => {
        if (client !== mine) return
        client = undefined
        mine.release(true)
        retry()
      })
      await mine.query(`listen ${channel}`)
      heard.missed()
    } catch (err) {
      log.debug({ err }, 'The other nodes cannot be heard; it is tried again.')
      client?.release(true)
      client = undefined
      retry()
    }
  }
  function retry(): void {
    if (!closed) retrying = setTimeout(() => void listen(), again).unref()
  }

  const sayWatched = () => send([{ kind: 'w', agents: [...watchedHere()].slice(0, idsMost) }])
  const watching = setInterval(() => {
    for (const [id, { until }] of watchedThere) if (until < performance.now()) watchedThere.delete(id)
    if ([...watchedHere()].length > 0) sayWatched()
  }, watchEvery).unref()
  const listening = listen()

  return {
    reported: (workspace, agentId) => say('r', workspace, agentId),
    changed: (workspace, agentId) => say('c', workspace, agentId),
    listChanged: (workspace) => say('l', workspace),
    isWatched: (agentId) =>
      [...watchedThere.values()].some(({ agents, until }) => until > performance.now() && agents.has(agentId)),
    watchChanged: sayWatched,
    async close() {
      closed = true
      clearTimeout(gathering)
      clearTimeout(retrying)
      clearInterval(watching)
      await listening
      client?.release(true)
      client = undefined
    },
  }
}

/** In pieces that fit a message; an empty list is one piece. */
function parts(ids: string[]): string[][] {
  if (ids.length <= idsMost) return [ids]
  return [ids.slice(0, idsMost), ...parts(ids.slice(idsMost))]
}
