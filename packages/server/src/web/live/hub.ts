/**
 * Notifies open pages of changes. For each workspace with open pages, at most one frame per tick is made and written to
 * all of them. A page that does not keep up is disconnected, because it reloads when it reconnects.
 */
import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Live } from '../../platform/base.ts'
import type { Store } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { type FleetCache, fleetCache } from './fleet.ts'
import { type FrameNews, frameOf, noNews } from './frame.ts'
import { type ChangeListener, joinNodes } from './nodes.ts'
import { type FramePace, initialPace, type PaceAct, type PaceEvent, type PaceRules, step } from './pace.ts'
import { type SharedAnswers, sharedAnswers } from './shared.ts'
import { eventBytes, judgePageReading, openStream, type PageReading, writeOrDisconnect } from './stream.ts'
import { watchCounts } from './watched.ts'

const pace: PaceRules = { tick: 500, gather: 25, slowest: 900 }
const pingEvery = 20_000
/** The milliseconds between two checks of the subscribers' rights. */
const guardEveryMs = 5_000

/** A page that is subscribed to the frames of its workspace. */
export interface Subscriber {
  workspaceId: string
  personId: string
  sessionToken: string
  /** The id of the agent that the subscribed page is about; undefined if the page is not about one agent. */
  agentId: string | undefined
  res: ServerResponse
}

/** The hub of a node: it learns of changes and sends frames to the open pages. */
export interface Hub extends Live {
  fleet: FleetCache
  /**
   * Returns an answer about the fleet of a workspace, made by `make` unless another page just asked the same
   * `question`. It is never older than the workspace's last frame, or its last change other than a report.
   */
  answer: <T>(workspaceId: string, question: string, make: () => Promise<T>) => Promise<T>
  subscribe(subscriber: Subscriber): void
  /**
   * Notifies all pages that are open on this node that another release is served, because each may show facts about
   * runtimes (3.4).
   */
  releaseChanged(): void
  /**
   * Returns the subscribers that are still allowed to read. The routes of the page set it, since they know sessions and
   * members. Until it is set, all are allowed.
   */
  guard: ((all: readonly Subscriber[]) => Promise<ReadonlySet<Subscriber>>) | undefined
  /** The number of streams of a person that are open on this node. */
  streamsOf(personId: string): number
  /** The number of pages subscribed on this node, of all workspaces. */
  readonly size: number
  /**
   * Ends every stream. Resolves when the hub no longer uses the database: frames and checks in progress are complete,
   * the changes so far were announced to the other nodes, and the connection for announcements was released.
   */
  close(): Promise<void>
}

interface LiveNeeds {
  store: Store
  log: Logger
  now: () => number
  /** The unique id of this process; by default a new one. */
  node?: string
}

/** A workspace with at least one subscribed page. */
interface Channel {
  readonly workspaceId: string
  /** The subscribed pages, each with how well it kept up with its stream at the last ping. */
  readonly subscribers: Map<Subscriber, PageReading>
  readonly answers: SharedAnswers
  pace: FramePace
  news: FrameNews
  timer: NodeJS.Timeout | undefined
}

/** Creates the hub of this process. Frames and pings carry the time of `now`; their intervals do not depend on it. */
export function createLive({ store, log, now, node = newId(now()) }: LiveNeeds, tick: number = pace.tick): Hub {
  const fleet = fleetCache({
    db: store.db,
    engine: store.engine,
    now,
    costsRead: (workspaceId) => here.costsRead(workspaceId),
    costsFailed: (error) => log.warn({ err: error }, 'the costs of agents could not be read; retrying'),
  })
  const inProgress = newInProgress()
  const { channels, on } = drive({ ...pace, tick }, (channel) => inProgress.add(send(channel, { fleet, log, now })))
  const watched = watchCounts()
  let closed = false
  const everybody = () => [...channels.values()].flatMap(({ subscribers }) => [...subscribers.keys()])

  /** Ends the streams of pages that may no longer read. The hub also does this every few seconds. */
  const check = () => inProgress.add(endOthers(everybody(), hub.guard, log))
  const here = listenerOf(channels, fleet, (channel) => on(channel, { is: 'news' }), check)
  const nodes =
    store.engine === 'postgres' ? joinNodes({ pool: store.pool, log, node }, here, watched.agents) : undefined
  function leave(subscriber: Subscriber): void {
    const channel = channels.get(subscriber.workspaceId)
    if (!channel?.subscribers.delete(subscriber)) return
    on(channel, { is: 'left' })
    if (subscriber.agentId !== undefined && watched.drop(subscriber.agentId)) nodes?.watchChanged()
  }
  function subscribe(subscriber: Subscriber): void {
    const { workspaceId, agentId, res } = subscriber
    if (closed) return void res.destroy()
    const channel = channels.get(workspaceId) ?? newChannel(workspaceId)
    channels.set(workspaceId, channel)
    channel.subscribers.set(subscriber, 'keeps up')
    on(channel, { is: 'joined' })
    if (agentId !== undefined) {
      watched.add(agentId)
      nodes?.watchChanged()
    }
    res.on('close', () => leave(subscriber))
    res.on('error', () => leave(subscriber))
    openStream(res)
  }
  const pinging = setInterval(pingAll, pingEvery, channels, now).unref()
  const guarding = setInterval(() => void check(), guardEveryMs).unref()

  const hub: Hub = {
    fleet,
    answer: (workspaceId, question, make) => channels.get(workspaceId)?.answers.of(question, make) ?? make(),
    guard: undefined,
    ...both(here, nodes),
    releaseChanged: here.missed,
    ...(nodes && { nodesHeard: nodes.heard }),
    isWatched: (agentId) => watched.has(agentId) || (nodes?.isWatched(agentId) ?? false),
    subscribe,
    streamsOf: (personId) => everybody().filter((s) => s.personId === personId).length,
    get size() {
      return everybody().length
    },
    async close() {
      closed = true
      clearInterval(pinging)
      clearInterval(guarding)
      for (const { res } of everybody()) res.end()
      for (const channel of [...channels.values()]) on(channel, { is: 'closed' })
      await inProgress.over()
      await nodes?.close()
    },
  }
  return hub
}

/** Remembers promises, which must never reject, until they are resolved. */
function newInProgress() {
  const all = new Set<Promise<void>>()
  return {
    add(work: Promise<void>): Promise<void> {
      all.add(work)
      return work.finally(() => all.delete(work))
    },
    over: () => Promise.all(all),
  }
}

/**
 * Decides for each workspace with subscribers when it gets a frame. `make` makes and sends the frame, and never
 * rejects.
 */
function drive(rules: PaceRules, make: (channel: Channel) => Promise<void>) {
  const channels = new Map<string, Channel>()
  function on(channel: Channel, event: PaceEvent): void {
    const { state, acts } = step(channel.pace, event, rules, performance.now())
    channel.pace = state
    for (const act of acts) perform(channel, act)
  }
  function perform(channel: Channel, act: PaceAct): void {
    if (act.do === 'wait') channel.timer = setTimeout(on, act.ms, channel, { is: 'due' })
    if (act.do === 'make') void make(channel).then(() => on(channel, { is: 'made' }))
    if (act.do === 'end') {
      clearTimeout(channel.timer)
      channels.delete(channel.workspaceId)
    }
  }
  return { channels, on }
}

const newChannel = (workspaceId: string): Channel => ({
  workspaceId,
  subscribers: new Map(),
  answers: sharedAnswers(() => performance.now()),
  pace: initialPace,
  news: noNews(),
  timer: undefined,
})

/**
 * Returns the listener that notes changes made on this node or another, for the fleet cache and for the next frame of
 * the workspace.
 */
function listenerOf(
  channels: ReadonlyMap<string, Channel>,
  fleet: FleetCache,
  tell: (channel: Channel) => void,
  check: () => Promise<void>,
): ChangeListener & { costsRead: (workspaceId: string) => void } {
  /**
   * Notes a change that is not a report. The next answer that a page requests must contain the change, because the
   * person at the page has usually caused it.
   */
  const change = (channel: Channel, note: (news: FrameNews) => void) => {
    note(channel.news)
    tell(channel)
    channel.answers.forget()
  }
  const changeAt = (workspaceId: string, note: (news: FrameNews) => void) => {
    const channel = channels.get(workspaceId)
    if (channel) change(channel, note)
  }
  return {
    reported(workspaceId, agentId) {
      fleet.reported(workspaceId, agentId)
      const channel = channels.get(workspaceId)
      if (!channel) return
      channel.news.reported.add(agentId)
      tell(channel)
    },
    changed: (workspaceId, agentId) => changeAt(workspaceId, ({ changed }) => changed.add(agentId)),
    listChanged(workspaceId) {
      fleet.listChanged(workspaceId)
      changeAt(workspaceId, (news) => {
        news.list = true
      })
    },
    alertsChanged(workspaceId) {
      fleet.alertsChanged(workspaceId)
      changeAt(workspaceId, (news) => {
        news.alerts = true
      })
    },
    costsRead: (workspaceId) =>
      changeAt(workspaceId, (news) => {
        news.costs = true
      }),
    rightsChanged: check,
    missed() {
      fleet.missed()
      for (const channel of channels.values())
        change(channel, (news) => {
          news.missed = true
        })
    },
  }
}

/** Passes a change that was made on this node to its pages and to the other nodes. */
const both = (
  here: ChangeListener,
  nodes: Omit<Live, 'isWatched' | 'nodesHeard'> | undefined,
): Omit<Live, 'isWatched' | 'nodesHeard'> => ({
  reported(workspaceId, agentId) {
    here.reported(workspaceId, agentId)
    nodes?.reported(workspaceId, agentId)
  },
  changed(workspaceId, agentId) {
    here.changed(workspaceId, agentId)
    nodes?.changed(workspaceId, agentId)
  },
  listChanged(workspaceId) {
    here.listChanged(workspaceId)
    nodes?.listChanged(workspaceId)
  },
  alertsChanged(workspaceId) {
    here.alertsChanged(workspaceId)
    nodes?.alertsChanged(workspaceId)
  },
  async rightsChanged() {
    await Promise.all([here.rightsChanged(), nodes?.rightsChanged()])
  },
})

/** Makes one frame of a workspace's news so far and writes it to all its subscribers. Never rejects. */
async function send(
  channel: Channel,
  { fleet, log, now }: { fleet: FleetCache; log: Logger; now: () => number },
): Promise<void> {
  const { news, subscribers, workspaceId } = channel
  channel.news = noNews()
  // Pages that ask because of this frame must get new answers that contain what the frame is about.
  channel.answers.forget()
  try {
    const open = new Set([...subscribers.keys()].flatMap(({ agentId }) => agentId ?? []))
    const frame = frameOf(await fleet.read(workspaceId), news, open, now())
    const bytes = eventBytes('frame', JSON.stringify(frame))
    for (const { res } of subscribers.keys()) writeOrDisconnect(res, bytes)
  } catch (error) {
    // The streams of the workspace end, so that its pages reload by themselves when the database answers again.
    log.warn({ err: error }, 'a live frame could not be made; the pages will reload')
    for (const { res } of subscribers.keys()) res.end()
  }
}

function pingAll(channels: ReadonlyMap<string, Channel>, now: () => number): void {
  const bytes = eventBytes('ping', `${now()}`)
  for (const { subscribers } of channels.values()) {
    for (const [subscriber, was] of subscribers) {
      const reading = judgePageReading(was, subscriber.res.writableLength)
      subscribers.set(subscriber, reading)
      if (reading === 'reads nothing') subscriber.res.destroy()
      else writeOrDisconnect(subscriber.res, bytes)
    }
  }
}

/** Ends the streams of subscribers that are no longer allowed to read. */
async function endOthers(all: readonly Subscriber[], guard: Hub['guard'], log: Logger): Promise<void> {
  if (all.length === 0 || !guard) return
  try {
    const allowed = await guard(all)
    for (const subscriber of all) if (!allowed.has(subscriber)) subscriber.res.end()
  } catch (error) {
    log.warn({ err: error }, 'the rights of live listeners could not be checked; retrying')
  }
}
