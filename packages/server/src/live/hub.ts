/**
 * What the pages hear of while it happens. Per workspace and tick one frame is rendered once, however many look, and
 * written to all of them; nothing is rendered where nobody looks. A page that misses frames asks again when it reconnects,
 * so a subscriber that does not keep up is ended instead of being waited for.
 */
import type { ServerResponse } from 'node:http'
import type { FleetRow, Frame } from '@svc/api'
import type { Logger } from 'pino'
import type { Store } from '../db/open.ts'
import type { Live } from '../deps.ts'
import { type FleetCache, fleetCache } from './fleet.ts'
import { type Heard, joinNodes } from './nodes.ts'
import { type Answer, type Answers, sharedAnswers } from './shared.ts'

/** Milliseconds between two frames of a workspace. */
const everyTick = 500
const firstTick = 25
const longestTick = 900
const ping = 20_000
/** Rows in one frame. Where more report in a tick each page would be sent what it hardly shows: it asks for its part instead. */
const rowsMost = 100
/** Bytes that a subscriber may be behind. */
const behindMost = 512 * 1024
/** How often it is checked whether those who listen still may. */
const guardEvery = 5_000

export interface Subscriber {
  workspaceId: string
  personId: string
  sessionToken: string
  /** The agent whose page is open. */
  agentId: string | undefined
  res: ServerResponse
}

export interface Hub extends Live {
  fleet: FleetCache
  /**
   * An answer about the fleet: while pages listen it may be the one that another of them was just given, but none from before
   * the last frame, press, or change of the list.
   */
  answer: (workspaceId: string, question: string, make: () => Promise<Answer>) => Promise<Answer>
  subscribe(subscriber: Subscriber): void
  /** Another release is served: what every page says of runtimes may be otherwise (3.4). */
  releaseChanged(): void
  /** Ends streams whose session ended or whose membership is gone; is called by itself every few seconds. */
  check(): Promise<void>
  /** Who may go on listening; set by the web part, which knows people. Until then everybody may. */
  guard: ((all: readonly Subscriber[]) => Promise<ReadonlySet<Subscriber>>) | undefined
  /** How many streams a person has open. */
  streamsOf(personId: string): number
  /** How many pages listen. */
  readonly size: number
  /** Ends every stream. Resolves when the store is no longer used. */
  close(): Promise<void>
}

export interface LiveNeeds {
  store: Store
  log: Logger
  now: () => number
}

interface Channel {
  subscribers: Set<Subscriber>
  reported: Set<string>
  changed: Set<string>
  list: boolean
  /** Something may have changed that nobody told of. */
  missed: boolean
  timer: NodeJS.Timeout | undefined
  rendering: boolean
  last: number
  answers: Answers
}

/** Frames say the time by `now`; ticks and pings follow the machine's own clock. */
export function createLive({ store, log, now }: LiveNeeds, tick: number = everyTick): Hub {
  const channels = new Map<string, Channel>()
  const watched = new Map<string, number>()
  let closed = false
  const stuck = new WeakSet<Subscriber>()
  const fleet = fleetCache(store.db, store.engine, now)

  const touch = (workspaceId: string, note: (channel: Channel) => void) => {
    const channel = channels.get(workspaceId)
    if (!channel) return
    note(channel)
    schedule(workspaceId, channel)
  }
  /** What is no report is seen by whoever asks next: most often it is their own doing. */
  const touchNow = (workspaceId: string, note: (channel: Channel) => void) =>
    touch(workspaceId, (channel) => {
      note(channel)
      channel.answers.forget()
    })

  function schedule(workspaceId: string, channel: Channel): void {
    if (closed || channel.timer || channel.rendering || channel.subscribers.size === 0) return
    const wait = Math.max(firstTick, channel.last + pauseFor(channel.subscribers.size) - performance.now())
    channel.timer = setTimeout(() => {
      channel.timer = undefined
      void send(workspaceId, channel)
    }, wait)
  }

  async function send(workspaceId: string, channel: Channel): Promise<void> {
    const { reported, changed, list, missed } = channel
    channel.reported = new Set()
    channel.changed = new Set()
    channel.list = channel.missed = false
    channel.last = performance.now()
    channel.rendering = true
    channel.answers.forget() // who asks because of this frame finds what is in it
    try {
      const open = new Set([...channel.subscribers].flatMap(({ agentId }) => agentId ?? []))
      const frame = frameOf(await fleet.read(workspaceId), { reported, changed, list, missed }, open, now())
      const bytes = Buffer.from(`event: frame\ndata: ${JSON.stringify(frame)}\n\n`)
      for (const subscriber of channel.subscribers) write(subscriber, bytes)
    } catch (error) {
      // The pages ask again by themselves once the database answers: a stream that ended makes them do so.
      log.warn({ err: error }, 'A live frame could not be made; the pages will ask again.')
      for (const { res } of channel.subscribers) res.end()
    } finally {
      channel.rendering = false
      if (channel.reported.size > 0 || channel.changed.size > 0 || channel.list) schedule(workspaceId, channel)
    }
  }

  function leave(subscriber: Subscriber): void {
    const channel = channels.get(subscriber.workspaceId)
    if (!channel?.subscribers.delete(subscriber)) return
    if (channel.subscribers.size === 0) {
      clearTimeout(channel.timer)
      channels.delete(subscriber.workspaceId)
    }
    if (subscriber.agentId === undefined) return
    const left = (watched.get(subscriber.agentId) ?? 1) - 1
    if (left > 0) watched.set(subscriber.agentId, left)
    else watched.delete(subscriber.agentId)
    if (left === 0) nodes?.watchChanged()
  }

  /** The more look, the dearer is a frame; a report is on the screen within a second all the same. */
  const pauseFor = (subscribers: number) => Math.min(Math.max(tick, subscribers), longestTick)

  const everybody = () => [...channels.values()].flatMap(({ subscribers }) => [...subscribers])

  const pinging = setInterval(() => {
    const bytes = Buffer.from(`event: ping\ndata: ${now()}\n\n`)
    for (const subscriber of everybody()) {
      // Something that was waiting at the last ping still is: nobody reads at the other end.
      if (subscriber.res.writableLength > 0 && stuck.has(subscriber)) subscriber.res.destroy()
      else if (subscriber.res.writableLength > 0) stuck.add(subscriber)
      else stuck.delete(subscriber)
      write(subscriber, bytes)
    }
  }, ping).unref()
  const guarding = setInterval(() => void hub.check(), guardEvery).unref()

  const here: Heard = {
    reported(workspaceId, agentId) {
      fleet.reported(workspaceId, agentId)
      touch(workspaceId, (channel) => channel.reported.add(agentId))
    },
    changed: (workspaceId, agentId) => touchNow(workspaceId, (channel) => channel.changed.add(agentId)),
    listChanged(workspaceId) {
      fleet.listChanged(workspaceId)
      touchNow(workspaceId, (channel) => {
        channel.list = true
      })
    },
    missed() {
      fleet.missed()
      for (const workspaceId of channels.keys()) {
        touchNow(workspaceId, (channel) => {
          channel.list = channel.missed = true
        })
      }
    },
  }
  const nodes = store.engine === 'postgres' ? joinNodes(store.pool, log, here, () => watched.keys()) : undefined

  const hub: Hub = {
    fleet,
    answer: (workspaceId, question, make) => channels.get(workspaceId)?.answers.of(question, make) ?? make(),
    guard: undefined,
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
    releaseChanged: here.missed,
    isWatched: (agentId) => watched.has(agentId) || (nodes?.isWatched(agentId) ?? false),
    subscribe(subscriber) {
      const { workspaceId, agentId, res } = subscriber
      let channel = channels.get(workspaceId)
      if (!channel) {
        channel = {
          subscribers: new Set(),
          reported: new Set(),
          changed: new Set(),
          list: false,
          missed: false,
          timer: undefined,
          rendering: false,
          last: 0,
          answers: sharedAnswers(() => performance.now()),
        }
        channels.set(workspaceId, channel)
      }
      channel.subscribers.add(subscriber)
      if (agentId !== undefined) {
        watched.set(agentId, (watched.get(agentId) ?? 0) + 1)
        nodes?.watchChanged()
      }
      res.on('close', () => leave(subscriber))
      res.on('error', () => leave(subscriber))
      // Not in chunks: the stream ends with its connection anyway, and a frame is one write to the socket.
      res.removeHeader('transfer-encoding')
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
      res.write('retry: 2000\n\n')
    },
    async check() {
      const all = everybody()
      if (all.length === 0 || !hub.guard) return
      try {
        const allowed = await hub.guard(all)
        for (const subscriber of all) if (!allowed.has(subscriber)) subscriber.res.end()
      } catch (error) {
        log.warn({ err: error }, 'It could not be checked who may listen to live frames; it is tried again.')
      }
    },
    streamsOf: (personId) => everybody().filter((s) => s.personId === personId).length,
    get size() {
      return everybody().length
    },
    async close() {
      closed = true
      clearInterval(pinging)
      clearInterval(guarding)
      for (const { res } of everybody()) res.end()
      for (const { timer } of channels.values()) clearTimeout(timer)
      await nodes?.close()
    },
  }
  return hub
}

/** `open`: the agents whose page somebody has open. They are told of in any case, so that no other page of an agent asks again. */
function frameOf(
  rows: ReadonlyMap<string, FleetRow>,
  { reported, changed, list, missed }: Pick<Channel, 'reported' | 'changed' | 'list' | 'missed'>,
  open: ReadonlySet<string>,
  now: number,
): Frame {
  const more = missed || reported.size > rowsMost || changed.size > rowsMost
  const told = (ids: ReadonlySet<string>) =>
    [...ids]
      .filter((id) => !more || open.has(id))
      .slice(0, rowsMost)
      .flatMap((id) => rows.get(id) ?? [])
  return { now, rows: told(reported), changed: told(changed).map(({ name }) => name), list: list || missed, more }
}

/** Ends a subscriber that does not drain: it comes back by itself and asks for everything once. */
function write({ res }: Subscriber, bytes: Buffer): void {
  if (res.destroyed || res.writableEnded) return
  res.write(bytes)
  if (res.writableLength > behindMost) res.destroy()
}
