/**
 * Tests the example agent git-reader with repositories that the tests create with git itself. `npm test` leaves this
 * out. It is about an example, which shares no code with the product.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StatusFile } from '@svc/protocol'
import { expect, test } from 'vitest'
import { Example } from './running.ts'

const day = 86_400
const noon = 1_750_000_000 - (1_750_000_000 % day) + day / 2

class Repository implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-repository-'))
  constructor() {
    this.git('init', '-q', '-b', 'main')
  }
  git(...args: string[]): string {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
    const env = { ...Object.fromEntries(inherited), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
    return execFileSync('git', args, { cwd: this.folder, encoding: 'utf8', env }).trim()
  }
  /** Makes a commit that adds this many lines, and returns its hash. */
  commit(subject: string, at: number, lines: number, author = 'Ada'): string {
    writeFileSync(join(this.folder, `${subject.replace(/\W/g, '_')}.txt`), 'line\n'.repeat(lines))
    this.git('add', '.')
    const who = ['-c', `user.name=${author}`, '-c', 'user.email=nobody@example.org']
    this.git(...who, 'commit', '-q', `--date=${at} +0000`, '-m', subject)
    return this.git('rev-parse', 'HEAD')
  }
  [Symbol.dispose]() {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const read = (s: StatusFile) => s.runs?.[0]?.kind === 'reading' && s.runs[0].ended !== undefined
const days = (s: StatusFile) => s.runs?.filter((run) => run.kind === 'day of history') ?? []
const list = (s: StatusFile) => {
  const panel = s.panels?.find((p) => p.type === 'list')
  return panel?.type === 'list' ? (panel.items ?? []) : []
}

test('each day of the history is a run with its commits by share, and commits are links if the remote is https', async () => {
  using repository = new Repository()
  repository.git('remote', 'add', 'origin', 'https://ada:secret@example.org/team/thing.git')
  const first = repository.commit('first step', noon, 30)
  repository.commit('small step', noon + 600, 10, 'Grace')
  repository.commit('next day', noon + day, 1)
  await using agent = new Example('git-reader').start({ folder: repository.folder })
  const status = await agent.until(read)
  expect(days(status)).toHaveLength(2)
  expect(days(status)[1]).toMatchObject({
    status: 'done',
    started: noon,
    ended: noon + 600,
    subjects: [
      { title: 'first step', share: 0.75, url: `https://example.org/team/thing/commit/${first}` },
      { title: 'small step', share: 0.25 },
    ],
  })
  expect(list(status).map((item) => item.title)).toEqual(['next day', 'small step', 'first step'])
  expect(list(status)[2]?.badge).toBe(first.slice(0, 7))
  expect(JSON.stringify(status)).not.toMatch(/secret|nobody@example/)
  const table = status.panels?.find((p) => p.type === 'table')
  expect(table?.rows?.map((row) => row.slice(0, 3))).toEqual([
    ['Ada', '2', '31'],
    ['Grace', '1', '10'],
  ])
})

test('a new commit causes a new reading that names it, and its day is reported again under the same id', async () => {
  using repository = new Repository()
  repository.commit('one', noon, 4)
  await using agent = new Example('git-reader').start({ folder: repository.folder })
  const before = await agent.until(read)
  repository.commit('two', noon + 60, 4)
  agent.runNow()
  const after = await agent.until((s) => s.runs?.[0]?.id !== before.runs?.[0]?.id && read(s))
  expect(after.runs?.[0]).toMatchObject({ kind: 'reading', status: 'done', subjects: [{ title: 'two', share: 1 }] })
  expect(days(after).map((run) => run.id)).toEqual(days(before).map((run) => run.id))
  expect(days(after)[0]?.subjects?.map((s) => s.share)).toEqual([0.5, 0.5])
})

test('the settings decide which branch is read, since when, how many commits and in which order', async () => {
  using repository = new Repository()
  repository.commit('old', noon, 1)
  repository.commit('large', noon + day, 50)
  repository.commit('small', noon + 2 * day, 2)
  repository.git('branch', 'side', 'HEAD~1')
  const { folder } = repository
  await using agent = new Example('git-reader').start({ folder })
  const titles = (...wanted: string[]) =>
    agent.until(
      (s) =>
        read(s) &&
        list(s)
          .map((item) => item.title)
          .join() === wanted.join(),
    )
  await titles('small', 'large', 'old')
  agent.set({ folder, order: 'largest' })
  await titles('large', 'small', 'old')
  agent.set({ folder, branch: 'side' })
  await titles('large', 'old')
  agent.set({ folder, commits: 1 })
  const cut = await titles('small')
  expect(days(cut)[0]?.status).toBe('partial')
  agent.set({ folder, since: 4_000_000_000 })
  const none = await titles()
  expect(none.state?.level).toBe('ok')
})

test('a remote that is not on the web gives no links', async () => {
  using repository = new Repository()
  repository.git('remote', 'add', 'origin', 'git@example.org:team/thing.git')
  repository.commit('one', noon, 1)
  await using agent = new Example('git-reader').start({ folder: repository.folder })
  const status = await agent.until(read)
  expect(JSON.stringify(status)).not.toContain('"url"')
})

test('a folder without a repository, a missing branch and one that looks like an option are reported on the page', async () => {
  using repository = new Repository()
  repository.commit('one', noon, 1)
  await using agent = new Example('git-reader').start({ folder: tmpdir() })
  const status = await agent.until((s) => s.state?.level === 'bad')
  expect(status.health?.[0]).toMatchObject({ name: 'Repository', level: 'bad' })
  expect(status.health?.[0]?.detail).toContain('not a git repository')
  agent.set({ folder: repository.folder })
  await agent.until((s) => s.state?.level !== 'bad' && read(s))
  agent.set({ folder: repository.folder, branch: `--output=${repository.folder}/written` })
  const refused = await agent.until((s) => s.state?.level === 'bad')
  expect(refused.runs?.[0]?.status).toBe('failed')
  expect(refused.state?.detail).toContain('no such branch')
})

test('a quiet repository becomes a warning after the set number of days', async () => {
  using repository = new Repository()
  repository.commit('long ago', noon, 1)
  const { folder } = repository
  await using agent = new Example('git-reader').start({ folder, quiet_days: 1 })
  await agent.until((s) => s.state?.level === 'warn')
  agent.set({ folder, quiet_days: 3650 })
  await agent.until((s) => s.state?.level === 'ok')
})
