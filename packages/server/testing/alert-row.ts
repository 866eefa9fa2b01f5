/** For tests: the row of an open alert about an agent, for statements that write it without the evaluator. */
import type { Insertable } from 'kysely'
import type { Tables } from '../src/platform/db/tables.ts'

/** An alert of the rule and level `bad` that opened at 1. `more` replaces columns. */
export const alertRow = (
  workspace: { id: string },
  agent: { id: string; name: string },
  more: Partial<Insertable<Tables['alert']>> = {},
): Insertable<Tables['alert']> => ({
  ...{ id: `alert-${agent.id}`, scope: workspace.id, workspace_id: workspace.id, rule: 'bad', level: 'bad' },
  ...{ subject_kind: 'agent', subject_id: agent.id, subject_name: agent.name, phase: 'open', phase_since: 1, since: 1 },
  ...{ openings: '[]', opened_at: 1, told: 'open', told_at: 1, reminders: 0, frozen: 0, muted: 0, version: 1 },
  ...more,
})
