/** The lines of the activity: their subjects, and neighbouring lines that are alike. Pure. */
import type { AuditEntry } from '@svc/api'

/**
 * The subjects by which the activity is filtered, each with the kinds of lines that belong to it. A kind is the first
 * word of an action: `agent` for `agent.created`.
 */
export const subjects = {
  agents: { name: 'Agents', kinds: ['agent', 'code', 'bot', 'view'] },
  commands: { name: 'Commands and logs', kinds: ['command', 'action', 'log'] },
  updates: { name: 'Updates', kinds: ['blueprint', 'wish', 'hold', 'rollout'] },
  alerts: { name: 'Alerts', kinds: ['alert', 'rule', 'channel', 'delivery'] },
  people: { name: 'People', kinds: ['member', 'person'] },
  workspace: { name: 'Workspace', kinds: ['workspace', 'activity'] },
} as const satisfies Record<string, { name: string; kinds: readonly string[] }>

export type ActivitySubject = keyof typeof subjects

export const isSubject = (word: unknown): word is ActivitySubject =>
  typeof word === 'string' && Object.hasOwn(subjects, word)

/** The subject of a line; undefined for a kind that this version of the page does not know. */
export function subjectOf(action: string): ActivitySubject | undefined {
  const kind = action.split('.')[0] ?? ''
  return (Object.keys(subjects) as ActivitySubject[]).find((one) =>
    (subjects[one].kinds as readonly string[]).includes(kind),
  )
}

/** A line, and the earlier lines that are like it, newest first. */
export interface FoldedLines {
  readonly newest: AuditEntry
  readonly earlier: readonly AuditEntry[]
}

/** The minimum number of lines that are folded. Lines about the same log are folded from two on. */
const minAlike = 4

/** Folds a list of lines, the newest first. Only neighbouring lines of one person are folded. */
export function foldLines(entries: readonly AuditEntry[]): FoldedLines[] {
  const rows: AuditEntry[][] = []
  for (const entry of entries) {
    const row = rows.at(-1)
    if (row?.[0] && isAlike(row[0], entry)) row.push(entry)
    else rows.push([entry])
  }
  return rows.flatMap((row) => {
    const [newest, ...earlier] = row
    if (newest === undefined) return []
    if (logOf(newest) !== null || row.length >= minAlike) return [{ newest, earlier }]
    return row.map((entry) => ({ newest: entry, earlier: [] }))
  })
}

function isAlike(a: AuditEntry, b: AuditEntry): boolean {
  if (a.actor !== b.actor) return false
  const log = logOf(a)
  return log === null ? a.action === b.action && logOf(b) === null : log === logOf(b)
}

/**
 * Returns the agent and the log of a line about requesting or reading a log, which count as alike; null for other
 * lines.
 */
function logOf({ action, subject, details }: AuditEntry): string | null {
  const { type, payload, name } = details as { type?: unknown; payload?: { name?: unknown }; name?: unknown }
  if (action === 'command.sent' && type === 'log') return `${subject} ${String(payload?.name)}`
  return action === 'log.read' ? `${subject} ${String(name)}` : null
}
