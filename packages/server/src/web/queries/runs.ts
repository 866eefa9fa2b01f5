import type { Runs } from '@svc/api'
import type { Run } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'

interface RunFilter {
  status?: string | undefined
  model?: string | undefined
  /** A text to search for in a run's id and kind and in the titles of its subjects, ignoring case. */
  text?: string | undefined
}

/** The runs of an agent, newest first (D10). The status is a column; model and text are searched in the stored run. */
export async function runsOf(
  db: Db,
  agent: { id: string },
  { status, model, text }: RunFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<Runs> {
  let query = db.selectFrom('run').where('agent_id', '=', agent.id)
  if (status !== undefined) query = query.where('status', '=', status)
  const rows = query.select('body').orderBy('place', 'desc').orderBy('seq', 'desc')
  if (model === undefined && text === undefined) {
    const { total } = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    return { total: Number(total), rows: (await rows.offset(offset).limit(limit).execute()).map(runOf) }
  }
  // All runs of the agent are read to filter them. There are at most 2000, which takes a few milliseconds.
  const fitting = (await rows.execute()).map(runOf).filter((run) => names(run, model) && says(run, text?.toLowerCase()))
  return { total: fitting.length, rows: fitting.slice(offset, offset + limit) }
}

const runOf = ({ body }: { body: string }): Run => JSON.parse(body) as Run

const names = ({ models }: Run, model: string | undefined): boolean =>
  model === undefined || (models !== undefined && Object.hasOwn(models, model))

const says = ({ id, kind, subjects }: Run, text: string | undefined): boolean =>
  text === undefined ||
  [id, kind, ...(subjects ?? []).map(({ title }) => title)].some((part) => part?.toLowerCase().includes(text))
