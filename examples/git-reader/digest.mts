/** Turns a git history into what the page shows, as pure functions: from commits to runs, panels and health. */
import type { Run } from './channel.mts'
import type { Commit, History } from './history.mts'

const shown = { commits: 25, authors: 20, days: 40, subjects: 6, titleLength: 120 }
const daySeconds = 86_400

/**
 * Makes a run for each day of the git history, up to a maximum number of days. If a day gets more commits, its run is
 * reported again under the same id, and replaces the run that was reported before (2.2).
 */
export function dayRuns(history: History): Run[] {
  const days = Map.groupBy(history.commits, (commit) => dayOf(commit.at))
  return [...days].slice(0, shown.days).map(([day, commits], i, all) => {
    const oldest = i === days.size - 1 && i === all.length - 1
    return {
      id: `${history.name.slice(0, 100)}/${day}`,
      kind: 'day of history',
      status: oldest && history.cut ? 'partial' : 'done',
      started: Math.min(...commits.map((c) => c.at)),
      ended: Math.max(...commits.map((c) => c.at)),
      subjects: subjectsOf(commits, history),
      log: 'reader',
    }
  })
}

/** The largest commits as subjects of a run, each with its share of the changed lines. */
export function subjectsOf(commits: readonly Commit[], history: History): NonNullable<Run['subjects']> {
  const whole = commits.reduce((sum, c) => sum + sizeOf(c), 0)
  return [...commits]
    .sort((a, b) => sizeOf(b) - sizeOf(a))
    .slice(0, shown.subjects)
    .map((c) => ({
      title: titleOf(c),
      ...linkOf(c, history),
      ...(whole > 0 && { share: Number((sizeOf(c) / whole).toFixed(4)) }),
    }))
}

export function panelsOf(history: History, order: 'newest' | 'largest'): object[] {
  return [latest(history, order), authors(history), facts(history)]
}

export function healthOf(history: History, quietDays: number, now: number): object[] {
  const newest = history.commits[0]
  const repository = { name: 'Repository', level: 'ok', detail: `${history.folder}, ${history.branch}` }
  if (!newest)
    return [repository, { name: 'Latest commit', level: 'info', detail: 'No commit fits what the settings ask for.' }]
  const days = Math.floor((now - newest.at) / daySeconds)
  const level = days >= quietDays ? 'warn' : 'ok'
  const ago = days < 1 ? 'less than a day ago' : days === 1 ? 'a day ago' : `${days} days ago`
  return [repository, { name: 'Latest commit', level, detail: `${ago}: ${titleOf(newest)}` }]
}

export const titleOf = (c: Commit): string => [...(c.subject || '(no subject)')].slice(0, shown.titleLength).join('')

function latest(history: History, order: 'newest' | 'largest') {
  const ordered = order === 'newest' ? history.commits : [...history.commits].sort((a, b) => sizeOf(b) - sizeOf(a))
  const items = ordered.slice(0, shown.commits).map((c) => ({
    title: titleOf(c),
    ...linkOf(c, history),
    meta: `${c.author.slice(0, 60)}, ${minuteOf(c.at)}, +${c.added} −${c.removed} in ${c.files} files`,
    badge: c.hash.slice(0, 7),
    ...(c.parents > 1 && { level: 'info' }),
  }))
  return { type: 'list', title: order === 'newest' ? 'Latest commits' : 'Largest commits', items }
}

function authors(history: History) {
  const people = [...Map.groupBy(history.commits, (c) => c.author)]
    .sort((a, b) => b[1].length - a[1].length)
    .slice(0, shown.authors)
  const sum = (commits: Commit[], of: 'added' | 'removed') => commits.reduce((all, c) => all + c[of], 0)
  const rows = people.map(([name, commits]) => [
    name.slice(0, 100) || '(no name)',
    String(commits.length),
    String(sum(commits, 'added')),
    String(sum(commits, 'removed')),
    dayOf(Math.max(...commits.map((c) => c.at))),
  ])
  return { type: 'table', title: 'Authors', columns: ['Author', 'Commits', 'Added', 'Removed', 'Latest'], rows }
}

function facts(history: History) {
  const oldest = history.commits.at(-1)
  const items = [
    ['Folder', history.folder],
    ['Branch', history.branch],
    ['Head', history.head.slice(0, 12)],
    ['Commits read', `${history.commits.length}${history.cut ? ' (there are more)' : ''}`],
    ['Oldest read', oldest ? dayOf(oldest.at) : 'none'],
    ['Page', history.page ?? 'none: its remote is not on the web'],
  ]
  return { type: 'kv', title: 'Repository', items: items.map(([label, value]) => ({ label, value })) }
}

const sizeOf = (c: Commit) => c.added + c.removed
const linkOf = (c: Commit, { page }: History) => (page ? { url: `${page}/commit/${c.hash}` } : {})

/** The date of a time in the local time zone, such as 2026-11-21. */
const dayOf = (at: number): string => minuteOf(at).slice(0, 10)

function minuteOf(at: number): string {
  const d = new Date(at * 1000)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}`
}
