/**
 * One evaluation of a workspace or of the service: judges all rules, and stores the changed alerts together with the
 * deliveries of their messages. If several nodes evaluate at once, each change is stored by only one of them.
 */
import { otherItems, type RuleName } from '@svc/api'
import { enqueueDeliveries } from '../../deliveries/store.ts'
import type { Db, Store } from '../../platform/db/open.ts'
import type { AlertChannelRow, AlertRow } from '../../platform/db/tables.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { piecesInTurns } from '../../platform/lists.ts'
import { readOutages } from '../../updates/wishes/away.ts'
import { outageAgentsNow, presentLabels } from '../messages/present.ts'
import { alertChangeOf, readChannels, recipients, secondChannels } from '../messages/recipients.ts'
import { endedMutes, mutedAt } from '../mutes.ts'
import { agentsOwnWords, isItemReported, itemWordsIn } from '../own-words.ts'
import type { EndCause, RuleMoment } from '../rules/conditions.ts'
import { itemsFirst } from '../rules/items.ts'
import { type JudgedAlert, judgeRule } from '../rules/judge.ts'
import { isEscalationDue } from '../rules/routing.ts'
import { rulesOfScope, type ScopedRule } from '../scoped-rules.ts'
import { readAlertSettings } from '../settings.ts'
import {
  endMutes,
  insertAlert,
  isChanged,
  type KnownAlert,
  keyOfRow,
  knownAlerts,
  markEscalated,
  mutesOfScope,
  removePending,
  storedAlert,
  subjectKeyOf,
  updateAlert,
} from '../store.ts'
import { endedCommands, insertCommandAlert } from './commands.ts'
import { judgeService, readFindings, withMissingSubjects } from './findings.ts'
import type { NamedScope, RuleFinding } from './rule-finding.ts'
import { channelSubject, type ServiceFacts } from './service.ts'

/** The limits of changes per transaction and of findings judged at a time, which keep turns of the event loop short. */
const writesAtOnce = 10
const judgedAtOnce = 200
const recentOutageMs = 3_600_000

interface EvaluationResult {
  /** The number of messages that were queued. A message to several channels counts once. */
  messages: number
  /** The number of alerts that changed. */
  changed: number
}

interface AlertVerdict extends RuleFinding {
  known: KnownAlert | undefined
  judged: JudgedAlert
}

interface EvaluationParts {
  /** The origin of the service, with which links in messages start. */
  baseUrl: string
  now: number
  /** The facts about the service itself; only given if the service is evaluated and not a workspace. */
  service?: ServiceFacts
}

/** Evaluates the alerts of a workspace, or of the service itself. */
export async function evaluateScope(
  store: Store,
  scope: NamedScope,
  { baseUrl, now, service }: EvaluationParts,
): Promise<EvaluationResult> {
  const { db } = store
  const rules = withoutRulesToCome(await rulesOfScope(db, scope), await readBlockedRules(db, now))
  const known = await knownAlerts(db, scope, now)
  const mutes = await mutesOfScope(db, scope)
  const isMuted = mutedAt(mutes, now)
  const moment: RuleMoment = { now, backSince: await backSince(db, now) }
  const channels = await readChannels(db, scope)
  const muted = (id: string) => isMuted({ rule: 'silent', agentId: id })
  const ofScope = channels.filter(({ owner }) => owner === '')
  const context = { rules, known, moment, channels: ofScope, muted }
  const found = service ? judgeService(service, context) : scope.active ? await readFindings(store, scope, context) : []
  const current = new Map(known.current.map((one) => [keyOfRow(one.row), one]))
  const order = itemsFirst()
  const verdictOn = (one: RuleFinding, alert: KnownAlert | undefined): AlertVerdict => {
    const isSilenced = isMuted(coveredBy(one))
    const openings = known.openingsOf(one.rule.name, one.about)
    const judged = judgeRule(one.rule, order.finding(one), alert?.alert, { now, muted: isSilenced, openings })
    order.judged(one, judged.alert)
    return { ...one, known: alert, judged }
  }
  const { detail } = await readAlertSettings(db, scope)
  const writing: WriteContext = { scope, baseUrl, channels, now, detail }
  const verdicts: AlertVerdict[] = []
  const due: AlertVerdict[] = []
  const add = (more: readonly AlertVerdict[]) => {
    verdicts.push(...more)
    due.push(...more.filter(leavesSomething))
  }
  for await (const piece of piecesInTurns(withMissingSubjects(found, known.current, rules), judgedAtOnce))
    add(piece.map((one) => verdictOn(one, current.get(subjectKeyOf(one.rule.name, one.about)))))
  // Alerts that ended during a mute are judged too, since the message about their end may still have to be sent.
  add(withMissingSubjects([], known.owed, rules).map((one, i) => verdictOn(one, known.owed[i])))
  const evaluated: EvaluationResult = { messages: 0, changed: 0 }
  for await (const piece of piecesInTurns(due, writesAtOnce)) {
    const wrote = await transaction(db, (trx) => writeAll(trx, writing, piece))
    evaluated.messages += wrote.messages
    evaluated.changed += wrote.changed
  }
  evaluated.messages += await escalateDue(db, writing, verdicts)
  evaluated.messages += await notifyOfCommands(db, writing, rules, (agentId) => isMuted({ rule: 'command', agentId }))
  const open = verdicts.filter(({ judged }) => judged.alert && judged.alert.endedAt === null)
  const over = endedMutes(mutes, open.map(coveredBy), now)
  await endMutes(
    db,
    over.map(({ id }) => id),
    now,
  )
  return evaluated
}

const coveredBy = ({ rule, about }: RuleFinding) => ({
  rule: rule.name,
  agentId: about.kind === 'agent' ? about.id : null,
  item: about.item,
})

/**
 * The time at which the service's last outage ended, if that was within the last hour; otherwise null. An hour is
 * enough, because after an outage an agent gets at most 15 minutes before it counts as offline.
 */
async function backSince(db: Db, now: number): Promise<number | null> {
  const times = await readOutages(db, now - recentOutageMs)
  return times.filter(({ to }) => to <= now).at(-1)?.to ?? null
}

const leavesSomething = ({ known, judged: { alert, message } }: AlertVerdict): boolean =>
  message !== undefined || (known ? !alert || isChanged(known.alert, alert) : alert !== undefined)

interface WriteContext {
  scope: NamedScope
  /** True if messages may contain words that an agent reported. */
  detail: boolean
  baseUrl: string
  channels: readonly AlertChannelRow[]
  now: number
}

async function writeAll(trx: Db, writing: WriteContext, verdicts: readonly AlertVerdict[]): Promise<EvaluationResult> {
  const { scope, baseUrl, channels, now } = writing
  const evaluated: EvaluationResult = { messages: 0, changed: 0 }
  const wordsOf = itemWordsIn(trx)
  for (const one of verdicts) {
    const verdict = await withItemWords(one, wordsOf)
    const row = await write(trx, writing, verdict)
    if (!row) continue
    evaluated.changed++
    const { alert, message } = verdict.judged
    if (message === undefined || !alert) continue
    const agents = await outageAgentsNow(trx, row, { type: message, list: verdict.agents?.list, now })
    const telling = { slug: scope.slug, baseUrl, now }
    const detail = writing.detail && message !== 'alert.ended' ? await agentsOwnWords(trx, row) : null
    const sent = { type: message, level: alert.level, isEscalated: row.escalated_at !== null }
    const all = recipients(verdict.rule, channels, sent, now)
    const others = all.filter((channel) => channelSubject(channel).id !== verdict.about.id)
    const because = message === 'alert.ended' ? await endCause(trx, verdict, row) : undefined
    await enqueueDeliveries(
      trx,
      others,
      alertChangeOf(row, { type: message, alert, agents, detail, because }, telling),
      now,
    )
    evaluated.messages++
  }
  return evaluated
}

/** The reason why an alert was closed although its problem may not be over; undefined if the problem is over. */
async function endCause(trx: Db, { finding }: AlertVerdict, row: AlertRow): Promise<EndCause | undefined> {
  if (finding.is !== 'clear' || finding.because !== undefined)
    return finding.is === 'clear' ? finding.because : undefined
  const isOne = row.rule === 'item' && row.item !== otherItems
  return isOne && !(await isItemReported(trx, row)) ? 'unreported' : undefined
}

/**
 * Adds the agent's own words about a health item to an alert that opens or about which a message is sent, except for a
 * message about its end.
 */
async function withItemWords(verdict: AlertVerdict, wordsOf: ReturnType<typeof itemWordsIn>): Promise<AlertVerdict> {
  const { rule, about, known, judged } = verdict
  const { alert, message } = judged
  const opens = alert?.phase === 'open' && known?.alert.phase !== 'open'
  if (!alert || about.item === undefined || !(opens || (message !== undefined && message !== 'alert.ended')))
    return verdict
  const label = await wordsOf({ rule: rule.name, subject_id: about.id, item: about.item })
  return label === undefined ? verdict : { ...verdict, judged: { alert: { ...alert, label }, message } }
}

/** Queues a message to the channels of a rule's `escalation` about each alert that nobody acknowledged in time. */
async function escalateDue(db: Db, writing: WriteContext, verdicts: readonly AlertVerdict[]): Promise<number> {
  const { scope, baseUrl, channels, now } = writing
  let messages = 0
  for (const { rule, known, judged } of verdicts) {
    if (!isEscalationDue(rule, known?.row, judged.alert, now) || !known) continue
    messages += await transaction(db, async (trx) => {
      const row = await markEscalated(trx, known.row, now)
      if (!row) return 0
      const detail = writing.detail ? await agentsOwnWords(trx, row) : null
      const alert = { ...storedAlert(row), label: (await presentLabels(trx, [row]))(row) }
      const agents = await outageAgentsNow(trx, row, { type: 'alert.reminder', now })
      const opened = { type: 'alert.opened', alert, agents, detail } as const
      await enqueueDeliveries(
        trx,
        secondChannels(rule, channels),
        alertChangeOf(row, opened, { slug: scope.slug, baseUrl, now }),
        now,
      )
      return 1
    })
  }
  return messages
}

/**
 * Stores an alert about each command that was refused, expired or failed recently, and queues its message unless the
 * alert is muted. Returns the number of messages.
 */
async function notifyOfCommands(
  db: Db,
  { scope, baseUrl, channels, now }: WriteContext,
  rules: (name: RuleName) => ScopedRule,
  isMutedFor: (agentId: string) => boolean,
): Promise<number> {
  const rule = rules('command')
  if (!rule.on || !scope.active || scope.workspaceId === null) return 0
  let messages = 0
  for (const command of await endedCommands(db, scope, { rules, now })) {
    const muted = isMutedFor(command.about.id)
    messages += await transaction(db, async (trx) => {
      const row = await insertCommandAlert(trx, { scope, rule, command, muted }, now)
      if (!row || muted) return 0
      const opened = { type: 'alert.opened', alert: storedAlert(row), agents: null } as const
      const sent = { type: 'alert.opened', level: row.level, isEscalated: false, person: command.by } as const
      await enqueueDeliveries(
        trx,
        recipients(rule, channels, sent, now),
        alertChangeOf(row, opened, { slug: scope.slug, baseUrl, now }),
        now,
      )
      return 1
    })
  }
  return messages
}

/** Stores the new state of an alert and returns the alert's row; undefined if another node stored a change first. */
async function write(
  trx: Db,
  { scope, now }: WriteContext,
  { rule, about, agents, known, judged }: AlertVerdict,
): Promise<AlertRow | undefined> {
  const { alert } = judged
  if (!known) {
    const wanted = { scope, rule: rule.name, about, ...(agents !== undefined && { agents: agents.json }) }
    return alert && (await insertAlert(trx, wanted, alert, now))
  }
  const won = alert
    ? await updateAlert(trx, known.row, alert, { name: about.name, agents: agents?.json })
    : await removePending(trx, known.row)
  return won ? { ...known.row, subject_name: about.name } : undefined
}

// No alert of a new rule opens for some time after an update, since a node of the previous version may still run and
// could not show it. The migration that adds a rule stores in the table `agreed`, under the name `alerts
// from RULE`, the Unix milliseconds from which its alerts may open.

const agreedPrefix = 'alerts from '

/** Reads the names of the rules whose alerts may not open yet. */
export async function readBlockedRules(db: Db, now: number): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('agreed').selectAll().where('name', 'like', `${agreedPrefix}%`).execute()
  return new Set(rows.filter(({ value }) => now < Number(value)).map(({ name }) => name.slice(agreedPrefix.length)))
}

/** The rules as they are set, except that the rules in `toCome` are off. */
function withoutRulesToCome(
  rules: (name: RuleName) => ScopedRule,
  toCome: ReadonlySet<string>,
): (name: RuleName) => ScopedRule {
  return (name) => (toCome.has(name) ? { ...rules(name), on: false } : rules(name))
}
