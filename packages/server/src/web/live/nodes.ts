/**
 * Connects several nodes on one PostgreSQL by LISTEN and NOTIFY: changes on one node reach the pages of the others, and
 * an agent whose page is open on one node is asked by all nodes to report quickly. Messages may be lost: when a node
 * has been without a connection, all pages that are open on it reload.
 */

import type pg from 'pg'
import type { Logger } from 'pino'
import type { Live } from '../../platform/base.ts'
import { createLoop } from '../../platform/loop.ts'
import { holdRunningLock, noteNode, runsAfterSignMs } from '../../platform/nodes.ts'
import { announcer, liveChannel, type NodeMessage } from './announce.ts'

/** Receives the changes that other nodes announce. */
export interface ChangeListener extends Omit<Live, 'isWatched' | 'nodesHeard'> {
  /** Called when messages of other nodes may have been lost. */
  missed(): void
}
interface Nodes extends Omit<Live, 'nodesHeard'> {
  /** The nodes from which messages arrived in the last minutes (`Live`). */
  heard(): readonly string[]
  /** Announces to the other nodes soon which agents' pages are open on this node, because that set has changed. */
  watchChanged(): void
  close(): Promise<void>
}

/** The milliseconds between two announcements of the agents whose pages are open on this node. */
const watchEveryMs = 5_000
/** The milliseconds for which such an announcement of another node is valid. */
const watchLastsMs = 15_000
/** The milliseconds after which a node connects again after it lost its connection. */
const reconnectMs = 1_000
/**
 * The milliseconds after which this node renews its row, by which others see that it runs and which features it knows.
 * The rows of nodes that ended are deleted after a day.
 */
const renewEveryMs = 60_000
/**
 * The milliseconds within which a connection must answer a query. After that it counts as lost, even if the network
 * reports no error.
 */
const answerMs = 5_000

export function joinNodes(
  { pool, log, node }: { pool: pg.Pool; log: Logger; node: string },
  here: ChangeListener,
  watchedHere: () => Iterable<string>,
): Nodes {
  const failed = (err: unknown) => log.debug({ err }, 'the other nodes could not be notified of changes')
  const others = announcer(pool, { node }, failed)
  const watchedThere = new Map<string, { agents: Set<string>; until: number }>()
  const lastHeard = new Map<string, number>()
  let retrying: NodeJS.Timeout | undefined
  let client: pg.PoolClient | undefined
  let closed = false

  function take(text: string | undefined): void {
    const message = JSON.parse(text ?? '{}') as NodeMessage
    if (message.node === node) return
    if (message.command !== true) lastHeard.set(message.node, performance.now())
    if (message.kind === 'w') {
      const before = message.adds ? watchedThere.get(message.node)?.agents : undefined
      const agents = new Set([...(before ?? []), ...message.agents])
      watchedThere.set(message.node, { agents, until: performance.now() + watchLastsMs })
    } else if (message.kind === 'm') here.missed()
    else if (message.kind === 'l') here.listChanged(message.workspace)
    else if (message.kind === 'a') here.alertsChanged(message.workspace)
    else if (message.kind === 'g') void here.rightsChanged()
    else {
      const tell = message.kind === 'r' ? here.reported : here.changed
      for (const agentId of message.agents) tell(message.workspace, agentId)
    }
  }

  async function listen(): Promise<void> {
    let ownClient: pg.PoolClient | undefined
    try {
      ownClient = await pool.connect()
      if (closed) return ownClient.release()
      const connected = ownClient
      client = connected
      connected.on('notification', ({ payload }) => take(payload))
      connected.on('error', () => lost(connected))
      await connected.query(`listen ${liveChannel}`)
      await holdRunningLock(connected)
      here.missed()
    } catch (err) {
      log.debug({ err }, 'notifications of other nodes do not arrive; reconnecting')
      if (ownClient) lost(ownClient)
      else retry()
    }
  }
  function lost(mine: pg.PoolClient): void {
    if (client !== mine) return
    client = undefined
    mine.release(true)
    retry()
  }
  function retry(): void {
    if (!closed) retrying = setTimeout(() => void listen(), reconnectMs).unref()
  }

  /**
   * Checks the connection with a query. This happens from time to time, since a network may drop a connection without
   * notice.
   */
  async function probe(): Promise<void> {
    const ownClient = client
    if (!ownClient) return
    const late = setTimeout(() => lost(ownClient), answerMs).unref()
    await ownClient.query('select 1').catch(() => lost(ownClient))
    clearTimeout(late)
  }

  const renewals = createLoop(
    () => renewEveryMs,
    () => noteNode(pool, node, Date.now()),
    (err) => log.debug({ err }, 'the row of this node could not be renewed; retrying'),
  )
  renewals.start(0)

  const sayWatched = () => others.watched([...watchedHere()])
  const watching = setInterval(() => {
    for (const [id, { until }] of watchedThere) if (until < performance.now()) watchedThere.delete(id)
    if ([...watchedHere()].length > 0) sayWatched()
    void probe()
  }, watchEveryMs).unref()
  const listening = listen()

  return {
    reported: others.reported,
    changed: others.changed,
    listChanged: others.listChanged,
    alertsChanged: others.alertsChanged,
    rightsChanged: others.rightsChanged,
    isWatched: (agentId) =>
      [...watchedThere.values()].some(({ agents, until }) => until > performance.now() && agents.has(agentId)),
    heard() {
      for (const [node, at] of lastHeard) if (at < performance.now() - runsAfterSignMs) lastHeard.delete(node)
      return [...lastHeard.keys()]
    },
    watchChanged: sayWatched,
    async close() {
      closed = true
      clearTimeout(retrying)
      clearInterval(watching)
      await renewals.stop()
      await listening
      await others.close()
      client?.release(true)
      client = undefined
    },
  }
}
