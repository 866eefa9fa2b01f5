/**
 * Answers what a person asks before an action is sent. Agents are read in pieces, each in a transaction, so that reports
 * are answered in between.
 */
import type { ActionOffers, ActionOffersInput, ActionPreview, NewAction } from '@svc/api'
import { type Offer, readCommand, type Verdict } from '@svc/protocol'
import { misfits, offersOf } from '../../fleet/commands/many.ts'
import { logsOffered, settingsOffered } from '../../fleet/commands/offers.ts'
import type { Db } from '../../platform/db/open.ts'
import { betweenTransactions, transaction, type Writer } from '../../platform/db/transaction.ts'
import { byText, piecesOf } from '../../platform/lists.ts'
import { done } from '../../platform/verdict.ts'
import { deleteMisfits, liftMisfits } from './runner.ts'
import { agentsNamed } from './store.ts'

const agentsAtOnce = 250
/** Reading the logs of an agent may mean reading 2,000 runs. */
const agentsWithLogsAtOnce = 20

/** Says how many agents an action would reach now, and why it would skip the others. Changes nothing. */
export async function previewAction(
  on: Db | Writer,
  workspace: { id: string },
  wanted: NewAction,
): Promise<Verdict<ActionPreview, 'agent_unknown'>> {
  const named = await transaction(on, (db) => agentsNamed(db, workspace, wanted.agents))
  if (!named.ok) return named
  const skips: ActionPreview['skips'] = []
  for (const piece of piecesOf(named.value, agentsAtOnce)) {
    await betweenTransactions(on)
    const whys = await transaction(on, (db) =>
      whyNot(
        db,
        wanted,
        piece.map(({ id }) => id),
      ),
    )
    for (const { id, name } of piece) {
      const message = whys.get(id)
      if (message !== undefined) skips.push({ name, message })
    }
  }
  skips.sort((a, b) => byText(a.name, b.name))
  return done({ sends: named.value.length - skips.length, skips })
}

/** Sums up which settings some agents declare, or which logs they offer. Changes nothing. */
export async function actionOffers(
  on: Db | Writer,
  workspace: { id: string },
  { type, agents }: ActionOffersInput,
): Promise<Verdict<ActionOffers, 'agent_unknown'>> {
  const named = await transaction(on, (db) => agentsNamed(db, workspace, agents))
  if (!named.ok) return named
  const offers: Offer[] = []
  const sorted = named.value.sort((a, b) => byText(a.name, b.name))
  for (const piece of piecesOf(sorted, type === 'log' ? agentsWithLogsAtOnce : agentsAtOnce)) {
    const ids = piece.map(({ id }) => id)
    await betweenTransactions(on)
    const read = await transaction(on, (db) => offersOf(db, ids, type === 'log' ? 'all' : 'none'))
    offers.push(...ids.flatMap((id) => read.get(id) ?? []))
  }
  return done({
    settings: type === 'set' ? settingsOffered(offers.map(({ settings }) => settings)) : [],
    logs: type === 'log' ? logsOffered(offers.map(({ logs }) => logs)) : [],
  })
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
