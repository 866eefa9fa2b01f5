/**
 * The rule `command`: a command to an agent was refused, expired or failed. That is a single event, so its alert opens
 * and ends in one step and sends one message. The alert stores the command's id, so that a command gets only one alert.
 */
import type { RuleName } from '@svc/api'
import type { CommandState } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'
import type { AlertRow } from '../../platform/db/tables.ts'
import type { Rule } from '../rules/conditions.ts'
import type { Alert } from '../rules/judge.ts'
import type { AlertScope } from '../scope.ts'
import type { ScopedRule } from '../scoped-rules.ts'
import { insertAlert, type SubjectRef } from '../store.ts'
import { filteredRules } from './filtered-rules.ts'

/**
 * The milliseconds after the end of a command within which it can get an alert. Without this limit, enabling the rule
 * would send messages about old commands.
 */
const recentMs = 10 * 60_000
const commandsAtOnce = 200

const ends: readonly CommandState[] = ['refused', 'expired', 'failed']
const words: Partial<Record<CommandState, string>> = {
  refused: 'refused',
  expired: 'expired before it was delivered',
  failed: 'failed without an answer',
}

interface EndedCommand {
  id: string
  type: string
  state: CommandState
  /** The person who sent the command; null for the operator. */
  by: string | null
  about: SubjectRef
}

/**
 * The commands of a workspace that were refused, expired or failed recently, have no alert yet, and are for an agent
 * that the rule's filter selects. Commands are read 200 at a time, until at least 200 are found or none is left.
 */
export async function endedCommands(
  db: Db,
  scope: AlertScope,
  { rules, now }: { rules: (name: RuleName) => ScopedRule; now: number },
): Promise<EndedCommand[]> {
  const readFilters = filteredRules(db, rules, now)
  const rule = rules('command')
  const found: EndedCommand[] = []
  for (let after: string | undefined = ''; after !== undefined && found.length < commandsAtOnce; ) {
    const rows: EndedCommand[] = await commandsAfter(db, scope, now, after)
    const ruleFor = await readFilters(rows.map(({ about }) => about.id))
    found.push(...rows.filter(({ about }) => ruleFor(rule, about.id).on))
    after = rows.length < commandsAtOnce ? undefined : rows.at(-1)?.id
  }
  return found
}

async function commandsAfter(db: Db, { id: scope }: AlertScope, now: number, after: string): Promise<EndedCommand[]> {
  const since = now - recentMs
  const rows = await db
    .selectFrom('command')
    .innerJoin('agent', 'agent.id', 'command.agent_id')
    .select(['command.id', 'type', 'state', 'command.created_by', 'agent_id', 'agent.name'])
    .where('workspace_id', '=', scope)
    .where('state', 'in', ends)
    .where('command.id', '>', after)
    .where((eb) => eb.or([eb('answered_at', '>', since), eb('failed_at', '>', since)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('alert')
            .select('alert.id')
            .where('alert.scope', '=', scope)
            .whereRef('alert.cause', '=', 'command.id'),
        ),
      ),
    )
    .orderBy('command.id')
    .limit(commandsAtOnce)
    .execute()
  return rows.map(({ id, type, state, created_by, agent_id, name }) => ({
    id,
    type,
    state,
    by: created_by,
    about: { kind: 'agent', id: agent_id, name },
  }))
}

/**
 * Inserts the alert about a command, as one that has already ended; undefined if another node has inserted it. With
 * `muted` the alert is stored, but no message about it is sent.
 */
export const insertCommandAlert = (
  trx: Db,
  { scope, rule, command, muted }: { scope: AlertScope; rule: Rule; command: EndedCommand; muted: boolean },
  now: number,
): Promise<AlertRow | undefined> =>
  insertAlert(
    trx,
    { scope, rule: 'command', about: command.about, cause: command.id },
    endedAlert(rule, command, { now, muted }),
    now,
  )

const endedAlert = (
  { level }: Rule,
  { type, state }: EndedCommand,
  { now, muted }: { now: number; muted: boolean },
): Alert => ({
  phase: 'open',
  phaseSince: now,
  since: now,
  level,
  label: `${type}: ${words[state] ?? state}`,
  openings: [],
  unsteadySince: null,
  openedAt: now,
  endedAt: now,
  acknowledged: null,
  told: muted ? 'nothing' : 'ended',
  toldAt: muted ? null : now,
  reminders: 0,
  frozen: false,
  muted: false,
})
