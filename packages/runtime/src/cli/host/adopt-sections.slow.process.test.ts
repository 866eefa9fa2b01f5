/**
 * Tests how `svc adopt` shows AI sessions, with files of Claude Code and a scripted service. `npm test` leaves this
 * out. packages/runtime/src/cli/host/adopt.process.test.ts proves the same rules.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { eventually } from '../../../../../testing/eventually.ts'
import { programs } from '../../../../../testing/program.ts'
import { type Account, account } from '../../../testing/adopting.ts'
import { answerOf, type ClaudeHome, claudeHome, failure, prompt, sessionId } from '../../../testing/ai/home.ts'
import { modelAnswers, opencodeHome, personAsks } from '../../../testing/ai/opencode.ts'
import { python, token } from '../../../testing/folder.ts'
import { newAccount } from '../../../testing/jobs.ts'
import { privateMarks } from '../../../testing/private.ts'
import { minNodeHere } from '../../../testing/releases.ts'
import { serviceOfTest, startService } from '../../../testing/service.ts'
import { hasSqlite } from '../../host/sessions/database.ts'
import { whoHolds } from '../../machine/files/lock.ts'

if (minNodeHere === undefined) process.stderr.write('NOT TESTED: svc sessions with the oldest Node\n')

/** An account with a session that waits, one that died and one that is over. */
function somebody(): Account & { readonly claude: ClaudeHome } {
  const made = account()
  const claude = claudeHome(made.home)
  // The agent is removed before its home folder. Without its folder it cannot be stopped.
  afterThisTest(() => claude.remove())
  afterThisTest(() => made.remove())
  claude.lines('one', [prompt, answerOf('a')])
  claude.note('one', claude.startProcess().pid, 'waiting')
  const before = Date.now() - 60_000
  const timestamp = new Date(before).toISOString()
  claude.lines(
    'two',
    [prompt, answerOf('b'), failure].map((line) => ({ ...line, timestamp })),
  )
  claude.note('two', 2 ** 22 + 1, 'busy', { updatedAt: before, statusUpdatedAt: before })
  claude.lines('three', [prompt, answerOf('c')])
  return Object.assign(made, { claude })
}

const quiet = ['--yes', '--no-start']
const adopted = ({ host }: Account) => JSON.parse(readFileSync(join(host.state, 'adopted.json'), 'utf8'))
const numbers = ({ host }: Account) => JSON.parse(readFileSync(join(host.state, 'numbers.json'), 'utf8'))

/** The parts of a report about sessions. */
const itemsOf = (report: { health?: { name: string; level: string }[]; runs?: { status: string }[] }) => ({
  health: report.health?.map(({ name, level }) => `${name} ${level}`),
  runs: report.runs?.map(({ status }) => status).sort(),
})
/** A session that died before the first look raises nothing. */
const shown = { health: ['Session claude 1 warn', 'Claude Code ok'], runs: ['died', 'ok', 'waiting'] }

test('a dry run finds sessions, prints the report with them, and writes nothing', async () => {
  const ada = somebody()
  const files = ada.files()
  const ran = await ada.adopt(['--dry-run', '--json'])
  expect(ran.code).toBe(0)
  const { found, report } = JSON.parse(ran.out)
  expect(found).toEqual({ crontab: 0, jobs: 0, ai: { claude: 3 } })
  expect(itemsOf(report)).toEqual(shown)
  const said = await ada.adopt(['--dry-run', '--only', 'ai', '--names', 'folder'])
  expect(said.out).toContain('Found AI sessions of 7 days: Claude Code 3.')
  expect(said.out).toContain('"name": "Session harbour (claude 1)"')
  expect(ada.files()).toEqual(files)
})

test('with --yes a new agent shows both, and the first report is the one of the dry run', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  const dry = JSON.parse((await ada.adopt(['--dry-run', '--json'])).out).report
  expect(await ada.adopt([...quiet, '--url', good.origin], { input: token })).toMatchObject({ code: 0 })
  expect(adopted(ada)).toEqual({ jobs: true, ai: true, names: 'number', folders: [] })
  expect(numbers(ada)).toMatchObject({ first: expect.any(Number), sessions: expect.arrayContaining([]) })
  const [first] = good.reports
  const report = JSON.parse(first?.text ?? '{}')
  expect(itemsOf(report)).toEqual(shown)
  const same = ['state', 'health', 'active', 'runs', 'panels', 'settings', 'gauges']
  for (const part of same) expect([part, report[part]]).toEqual([part, dry[part]])
  for (const mark of privateMarks) expect(first?.text).not.toContain(mark)
})

test('the service of the tests finds fault with a report that holds a private text', async () => {
  const leaky = await startService()
  await fetch(`${leaky.origin}/api/agent/v1/report`, { method: 'POST', body: '{"detail":"a prompt-mark in it"}' })
  await expect(leaky.close()).rejects.toThrow('private prompt-mark')
})

test.runIf(python)('from svc to jobs and sessions on the page, a person gives five answers', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  ada.crontab.write('0 3 * * * /opt/backup.sh argument-mark\n')
  const answers = [
    ['token', token],
    ['Show your jobs on the page', 'yes'],
    ['Show your AI sessions on the page', 'number'],
    ['Change the crontab like this?', 'yes'],
    ['Start it now', 'yes'],
  ]
  const command = [process.execPath, programs.svc, 'adopt', '--url', good.origin]
  const shown = await new Promise<string>((resolve) => {
    const args = [join(import.meta.dirname, '../../../testing/answers.py'), JSON.stringify(answers), ...command]
    execFile('python3', args, { cwd: ada.home, env: { ...process.env, ...ada.env } }, (_error, out) => resolve(out))
  })
  // The question for the token has no hint about Enter.
  expect(shown.split('Enter means').length - 1, shown).toBe(answers.length - 1)
  expect(shown).toContain('Jobs in the crontab now: backup.')
  const last = () => itemsOf(JSON.parse(good.reports.at(-1)?.text ?? '{}')).health
  await eventually('jobs and sessions are reported', () =>
    expect(last()).toEqual(expect.arrayContaining(['Job backup info', 'Session claude 1 warn'])),
  )
})

test('after an update nothing new is shown until a person says so, also with --yes', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  await ada.adopt([...quiet, '--only', 'jobs', '--url', good.origin], { input: token })
  expect(adopted(ada)).toEqual({ jobs: true, ai: false, names: 'number', folders: [] })
  expect((await ada.adopt(quiet)).code).toBe(0)
  expect(adopted(ada).ai).toBe(false)
  expect(existsSync(join(ada.host.state, 'numbers.json'))).toBe(false)
  expect((await ada.adopt([...quiet, '--only', 'ai', '--names', 'folder'])).code).toBe(0)
  expect(adopted(ada)).toEqual({ jobs: true, ai: true, names: 'folder', folders: [] })
  expect(numbers(ada)).toMatchObject({ first: expect.any(Number) })
  const { first } = numbers(ada)
  expect((await ada.adopt([...quiet, '--only', 'jobs'])).code).toBe(0)
  expect(adopted(ada), 'what is shown stays').toMatchObject({ jobs: true, ai: true, names: 'folder' })
  expect(numbers(ada).first).toBe(first)
})

test('a section is removed alone, and the agent goes on with the other one', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  const line = '0 3 * * * /opt/backup.sh\n'
  ada.crontab.write(line)
  const both = ['--yes', '--crontab', '--names', 'folder', '--url', good.origin]
  await ada.adopt(both, { input: token })
  const wrapped = ada.crontab.table()
  const last = () => itemsOf(JSON.parse(good.reports.at(-1)?.text ?? '{}')).health?.join()
  await eventually('both are reported', () => expect(last()).toMatch(/Job backup.*Session harbour/))
  expect(await ada.adopt(['--remove', '--only', 'ai'])).toMatchObject({ code: 2, out: '' })
  expect((await ada.adopt(['--remove', '--only', 'ai', '--dry-run'])).out).toContain('Nothing was removed.')
  expect(adopted(ada)).toMatchObject({ jobs: true, ai: true })
  const removed = await ada.adopt(['--remove', '--only', 'ai', '--yes', '--json'])
  expect(JSON.parse(removed.out)).toMatchObject({ removed: true, section: 'ai', unwrapped: 0 })
  expect(adopted(ada)).toEqual({ jobs: true, ai: false, names: 'folder', folders: [] })
  expect(ada.crontab.table()).toBe(wrapped)
  await eventually('only jobs are reported', () => expect(last()).toMatch(/^(?!.*Claude).*Job backup/))

  expect((await ada.adopt(['--yes', '--only', 'ai'])).code).toBe(0)
  const jobs = await ada.adopt(['--remove', '--only', 'jobs', '--yes'])
  expect(jobs).toMatchObject({
    code: 0,
    out: expect.stringContaining('Each of these crontab lines is as it was: backup.'),
  })
  expect(jobs.out).toContain('Jobs are no longer shown. To show them again: svc adopt --only jobs')
  expect(adopted(ada)).toEqual({ jobs: false, ai: true, names: 'folder', folders: [] })
  expect(ada.crontab.table()).toBe(line)
  expect((await ada.adopt(['--yes'])).code).toBe(0)
  expect(adopted(ada), '--yes shows no jobs that a person has removed').toMatchObject({ jobs: false, ai: true })
  await eventually('only sessions are reported', () => expect(last()).toMatch(/^(?!.*Job backup).*Session harbour/))
  expect(whoHolds(ada.host, 'runtime'), 'the agent goes on').toBeDefined()

  const nothingElse = await ada.adopt(['--remove', '--only', 'ai', '--yes'])
  expect(nothingElse).toMatchObject({ code: 1, err: expect.stringContaining('shows nothing but AI sessions') })
  const notShown = await ada.adopt(['--remove', '--only', 'jobs', '--yes'])
  expect(notShown).toMatchObject({ code: 1, err: expect.stringContaining('Jobs are not shown') })
  expect(adopted(ada)).toMatchObject({ jobs: false, ai: true })
  expect((await ada.adopt(['--remove', '--only', 'jobs,ai', '--yes'])).code).toBe(0)
  expect(existsSync(ada.host.svc)).toBe(false)
  expect((await ada.adopt(['--remove', '--only', 'ai', '--yes'])).err).toContain('Nobody knows what')
})

test.each([
  [['--remove', '--url', 'http://127.0.0.1:9'], '--remove cannot be used with --url'],
  [['--remove', '--token-file', '-'], '--remove cannot be used with --token-file'],
  [['--remove', '--name', 'mail'], '--remove cannot be used with --name'],
  [['--remove', '--names', 'folder'], '--remove cannot be used with --names'],
  [['--remove', '--crontab'], '--remove cannot be used with --crontab'],
  [['--remove', '--log'], '--remove cannot be used with --log'],
  [['--remove', '--no-start'], '--remove cannot be used with --no-start'],
  [['--only', 'ai', '--crontab'], '--only must name jobs, too'],
  [['--only', 'ai', '--log'], '--only must name jobs, too'],
  [['--only', 'jobs', '--names', 'folder'], '--only must name ai, too'],
  [['--log'], '--yes makes none without --crontab'],
])('an option that means nothing beside another one is refused: %j', async (args, says) => {
  const made = account()
  afterThisTest(() => made.remove())
  expect(await made.adopt([...args, '--yes'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining(says) })
  expect(made.files()).toEqual([])
})

test('if the note is damaged, --yes shows nothing unless an option names it', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  await ada.adopt([...quiet, '--only', 'jobs', '--url', good.origin], { input: token })
  writeFileSync(join(ada.host.state, 'adopted.json'), '{"jobs":tr')
  const reports = good.reports.length
  const ran = await ada.adopt(quiet)
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('--only') })
  expect(
    good.reports
      .slice(reports)
      .map(({ text }) => text)
      .join(),
  ).not.toContain('claude')
  expect(readFileSync(join(ada.host.state, 'adopted.json'), 'utf8')).toBe('{"jobs":tr')
  expect((await ada.adopt([...quiet, '--only', 'jobs'])).code).toBe(0)
  expect(adopted(ada)).toEqual({ jobs: true, ai: false, names: 'number', folders: [] })
})

test('only sessions can be shown, and the crontab is left alone', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  ada.crontab.write('0 3 * * * /opt/backup.sh\n')
  const ran = await ada.adopt([...quiet, '--only', 'ai', '--url', good.origin], { input: token })
  expect(ran).toMatchObject({ code: 0, out: expect.not.stringContaining('can become a job') })
  expect(adopted(ada)).toMatchObject({ jobs: false, ai: true })
  expect(good.reports[0]?.text).not.toContain('Job')
})

test('a folder that a variable names is noted, and read by the agent of another environment', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  const other = join(ada.home, 'other')
  mkdirSync(join(other, '.claude'), { recursive: true })
  const elsewhere = claudeHome(other)
  afterThisTest(() => elsewhere.remove())
  elsewhere.lines('four', [prompt])
  const env = { CLAUDE_CONFIG_DIR: join(other, '.claude') }
  await ada.adopt([...quiet, '--only', 'ai', '--url', good.origin], { input: token, env })
  expect(adopted(ada).folders).toEqual([`claude=${join(other, '.claude')}`])
  expect(JSON.parse((await ada.svc(['sessions', '--json'])).out)).toHaveLength(4)
})

test('svc sessions lists what the page shows with folders, which stay on this machine', async () => {
  const ada = somebody()
  const listed = JSON.parse((await ada.svc(['sessions', '--json'])).out)
  expect(listed).toHaveLength(3)
  expect(listed[0]).toEqual({
    ...{ tool: 'claude', name: 'claude 1', number: 1, state: 'waiting', since: expect.any(Number), model: 'claude-m' },
    ...{ pid: expect.any(Number), folder: '/srv/folder-mark/harbour', cost: null, estimated: false, atLeast: true },
  })
  const table = await ada.svc(['sessions'])
  expect(table.out).toMatch(/^NAME +TOOL +STATE +SINCE +PID +COST +FOLDER\nclaude 1 +Claude Code +waiting +\d\d:\d\d/)
  for (const mark of privateMarks.filter((mark) => mark !== 'folder-mark')) expect(table.out).not.toContain(mark)
  const none = account()
  afterThisTest(() => none.remove())
  expect((await none.svc(['sessions'])).out).toContain('There are no AI sessions')
  expect(JSON.parse((await none.svc(['sessions', '--json'])).out)).toEqual([])
})

/** The account, with a session of opencode whose turn has ended. */
function withOpencode(): Account {
  const ada = somebody()
  const opencode = opencodeHome(1, ada.home)
  afterThisTest(() => opencode.remove())
  opencode.session('s')
  opencode.message('a', 's', personAsks)
  opencode.message('b', 's', modelAnswers())
  return ada
}

test.runIf(hasSqlite())(
  'sessions of opencode are found, asked for and reported, and nothing else is said',
  async () => {
    const good = await serviceOfTest()
    const ada = withOpencode()
    const dry = await ada.adopt(['--dry-run', '--json'])
    expect(dry.err).toBe('')
    expect(JSON.parse(dry.out).found.ai).toEqual({ claude: 3, opencode: 1 })
    await ada.adopt([...quiet, '--url', good.origin], { input: token })
    const { text } = good.reports[0] ?? { text: '{}' }
    const report = JSON.parse(text)
    expect(report.health).toContainEqual({ name: 'opencode', level: 'ok', detail: '1.18.33: 0 open, 1 in 7 days' })
    const run = report.runs.find(({ kind }: { kind: string }) => kind === 'opencode')
    expect(run).toMatchObject({ status: 'ok', cost_usd: 0.5, models: { 'claude-m': 0.5 }, output_tokens: 34 })
    expect(report.panels.find(({ title }: { title: string }) => title === 'Today').rows[1]).toEqual([
      ...['opencode', '$0.50', '–', '34 out, 2.1k in'],
    ])
    for (const mark of privateMarks) expect(text).not.toContain(mark)
    const listed = JSON.parse((await ada.svc(['sessions', '--json'])).out)
    expect(listed.find(({ tool }: { tool: string }) => tool === 'opencode')).toMatchObject({
      name: 'opencode 1',
      cost: 0.5,
    })
  },
)

test.runIf(minNodeHere !== undefined && hasSqlite())(
  'the oldest Node says that opencode needs a newer one',
  async () => {
    const ada = withOpencode()
    const old = await newAccount(minNodeHere)
    const oldest = { by: [old.svc], env: { HOME: ada.home, PATH: `${dirname(minNodeHere ?? '')}:/bin` } }
    afterThisTest(() => old.remove())
    const ran = await old.exec(['sessions'], { ...oldest })
    expect(ran).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^claude 1 [\s\S]*\(opencode\) needs Node 22\.13\n$/m),
    })
    const dry = await old.exec(['adopt', '--dry-run', '--json'], { ...oldest })
    expect(JSON.parse(dry.out).found.ai).toEqual({ claude: 3 })
    expect(JSON.parse(dry.out).report.health).toContainEqual({
      name: 'opencode',
      level: 'info',
      detail: 'needs Node 22.13',
    })
  },
)

test('a session that cannot be understood is named', async () => {
  const ada = somebody()
  const file = join(ada.home, `.claude/projects/-srv-folder-mark/${sessionId('new')}.jsonl`)
  writeFileSync(file, '{"type":"odd"}\n')
  const { out } = await ada.svc(['sessions'])
  expect(out).toContain('(Claude Code) 2.1.332: 1 open, 3 in 7 days; lines of the type "odd" are not understood')
})
