import type { ActiveRun } from './report.ts'

/**
 * One line about a run in progress, such as `triage: Reading the attachments`. A job is known by its name, which is its
 * subject. Empty if the run has no text.
 */
export function activeLine({ kind = '', detail, subjects }: Pick<ActiveRun, 'kind' | 'detail' | 'subjects'>): string {
  const title = subjects?.[0]?.title
  const what = kind === 'job' ? [title, detail].filter(Boolean).join(', ') : (detail ?? title ?? '')
  return kind !== '' && what !== '' ? `${kind}: ${what}` : kind + what
}
