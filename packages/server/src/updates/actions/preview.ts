import type { ActionPreview, NewAction } from '@svc/api'
import { readCommand, type Verdict } from '@svc/protocol'
import { misfits } from '../../fleet/commands/many.ts'
import type { Db } from '../../platform/db/open.ts'
import { done } from '../../platform/verdict.ts'
import { deleteMisfits, liftMisfits } from './runner.ts'
import { agentsNamed } from './store.ts'

const agentsAtOnce = 500

/** Says how many agents an action would reach now, and why it would skip the others. Changes nothing. */
export async function previewAction(
  db: Db,
  workspace: { id: string },
  wanted: NewAction,
): Promise<Verdict<ActionPreview, 'agent_unknown'>> {
  const named = await agentsNamed(db, workspace, wanted.agents)
  if (!named.ok) return named
  const skips: ActionPreview['skips'] = []
  for (let i = 0; i < named.value.length; i += agentsAtOnce) {
    const piece = named.value.slice(i, i + agentsAtOnce)
    const ids = piece.map(({ id }) => id)
    const whys = await whyNot(db, wanted, ids)
    for (const { id, name } of piece) {
      const message = whys.get(id)
      if (message !== undefined) skips.push({ name, message })
    }
  }
  skips.sort((a, b) => (a.name < b.name ? -1 : 1))
  return done({ sends: named.value.length - skips.length, skips })
}

async function whyNot(
  db: Db,
  { type, values = {} }: NewAction,
  ids: string[],
): Promise<Map<string, string | undefined>> {
  if (type === 'lift') return liftMisfits(db, ids)
  if (type === 'delete') return deleteMisfits(db, ids)
  const body = readCommand({ type, payload: values })
  return body.ok ? misfits(db, ids, body.value) : new Map(ids.map((id) => [id, body.message]))
}
