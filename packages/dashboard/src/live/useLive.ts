/** Keeps the data of a workspace fresh while its page is open: frames update the page's query cache. */
import type { Fleet, Frame } from '@svc/api'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { keys } from '../queries.ts'
import { serviceHeard, serviceTimeIs } from '../ui/clock.ts'
import { type LiveState, openLive } from './connection.ts'
import { mergeFrame, movesGroup, readFrame } from './merge.ts'

export type { LiveState }

/**
 * Opens one stream for the workspace. `agent` is the name of the agent whose page is open, if any; the service asks
 * that agent to report more often.
 */
export function useLive(slug: string, agent: string | undefined): LiveState {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    const lists = throttled(3_000, () => void client.invalidateQueries({ queryKey: keys.fleet(slug) }))
    const things = throttled(1_000, () => {
      for (const key of [
        keys.blueprints(slug),
        keys.codes(slug),
        keys.bots(slug),
        keys.agents(slug),
        keys.rollouts(slug),
      ])
        void client.invalidateQueries({ queryKey: key })
    })
    // When agents have changed, the lists of blueprints and rollouts are loaded again too, because they show the states
    // of wishes.
    const wishes = throttled(1_000, () => {
      for (const key of [keys.blueprints(slug), keys.rollouts(slug)]) void client.invalidateQueries({ queryKey: key })
    })
    const alerts = throttled(1_000, () => {
      for (const key of [keys.alerts(slug), keys.facts(slug)]) void client.invalidateQueries({ queryKey: key })
    })
    const close = openLive(slug, agent, {
      state: setState,
      open: (missed) => {
        if (missed) void client.invalidateQueries({ queryKey: keys.workspace(slug) })
      },
      ping: serviceHeard,
      frame: (text) => {
        const frame = readFrame(text)
        if (!frame) return
        serviceTimeIs(frame.now)
        if (applyFrame(client, slug, frame)) lists.call()
        if (frame.list) things.call()
        if (frame.changed.length > 0) wishes.call()
        if (frame.alerts) alerts.call()
      },
    })
    return () => {
      close()
      lists.cancel()
      things.cancel()
      wishes.cancel()
      alerts.cancel()
    }
  }, [client, slug, agent])
  return state
}

/** Puts a frame into the page's query cache. Returns true if the fleet list must be loaded again. */
function applyFrame(client: QueryClient, slug: string, frame: Frame): boolean {
  let stale = frame.list || frame.more
  for (const query of client.getQueryCache().findAll({ queryKey: keys.fleet(slug) })) {
    const fleet = query.state.data as Fleet | undefined
    if (!fleet) continue
    stale ||= query.isActive() && movesGroup(fleet, frame)
    const merged = mergeFrame(fleet, frame)
    if (merged !== fleet) client.setQueryData(query.queryKey, merged)
  }
  const touched = new Set([...frame.rows.map((row) => row.name), ...frame.changed])
  for (const name of touched) void client.invalidateQueries({ queryKey: keys.agent(slug, name) })
  return stale
}

/**
 * Limits calls of `act` to one in `ms` milliseconds. The first call is made at once. If more calls follow within that
 * time, one call is made at the end of that time.
 */
function throttled(ms: number, act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting = false
  const call = () => {
    if (timer !== undefined) {
      waiting = true
      return
    }
    act()
    timer = setTimeout(() => {
      timer = undefined
      if (waiting) {
        waiting = false
        call()
      }
    }, ms)
  }
  return { call, cancel: () => clearTimeout(timer) }
}
