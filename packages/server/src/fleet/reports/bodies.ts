/** The bodies of the last reports of many agents, for facts that have no column. */
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../platform/db/open.ts'
import { type StoredReport, storedReport } from './body.ts'

/**
 * The number of bodies that are read at a time. A body has up to 256 KB, so reading only a few keeps the turns of the
 * event loop short.
 */
const bodiesAtOnce = 8
/** The milliseconds of reading bodies after which the rest waits for the next turn of the event loop. */
const turnMs = 3

/**
 * The last reports of agents, each with the id of its agent. A report whose body cannot be read is given as undefined,
 * so that the others are still read.
 */
export async function* readBodies(
  db: Db,
  ids: readonly string[],
): AsyncGenerator<[id: string, report: StoredReport | undefined]> {
  for (let i = 0; i < ids.length; i += bodiesAtOnce) {
    const bodies = await db
      .selectFrom('agent_report')
      .select(['agent_id', 'body'])
      .where('agent_id', 'in', ids.slice(i, i + bodiesAtOnce))
      .execute()
    await setImmediate()
    let began = performance.now()
    for (const { agent_id, body } of bodies) {
      yield [agent_id, readBody(body)]
      if (performance.now() - began < turnMs) continue
      await setImmediate()
      began = performance.now()
    }
    await setImmediate()
  }
}

function readBody(body: string): StoredReport | undefined {
  try {
    return storedReport(body)
  } catch {
    return undefined
  }
}
