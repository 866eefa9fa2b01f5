import type {
  AgentPage,
  AuditEntry,
  Commands,
  Fleet,
  LogEntry,
  LogText,
  NewToken,
  Runs,
  ShownCommand,
  UsageDay,
} from '@svc/api'
import { expect, test } from 'vitest'
import { type Browser, serve } from '../../../testing/page/service.ts'
import { ofBlueprint, serveRelease } from '../../../testing/wishes.ts'
import { agentSnapshot } from '../../web/queries/agents.ts'
import { findAgent } from './store.ts'

async function newSetup() {
  const service = await serve()
  const north = await service.workspace('north')
  const { token } = await service.agent(north, 'mail')
  return { service, north, token, ann: await service.person('Ann', 'north', 'admin') }
}
const w = '/api/web/w/north'
const fleet = async (browser: Browser, query = '') => (await browser.get<Fleet>(`${w}/fleet${query}`)).body
const page = async (browser: Browser, name = 'mail') => (await browser.get<AgentPage>(`${w}/agents/${name}`)).body
const seconds = (at: number) => Math.floor(at / 1000)
const day = 86_400

test('an admin adds an agent, sees its token only once, and the agent can report with it', async () => {
  const { service, ann } = await newSetup()
  const made = await ann.send<NewToken>('POST', `${w}/agents`, { name: 'second' })
  expect(made).toMatchObject({ status: 201, body: { name: 'second' } })
  expect(made.body.token).toMatch(/^svc_agt_/)
  await service.reports(made.body.token, { state: { level: 'ok' } })
  expect((await ann.get(`${w}/agents/second`)).text).not.toContain(made.body.token)
  const again = await ann.send('POST', `${w}/agents`, { name: 'second' })
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'agent_name_taken' } } })
  for (const name of ['', 'Mail', 'a--b', 'con', '../x', 'x'.repeat(64)]) {
    expect((await ann.send('POST', `${w}/agents`, { name })).status).toBe(400)
  }
})

test('a rotated token works immediately and the old one never again; a deleted agent is gone with its token', async () => {
  const { service, ann, token } = await newSetup()
  const rotated = (await ann.send<NewToken>('POST', `${w}/agents/mail/token`)).body
  await expect(service.reports(token, {})).rejects.toThrow('token')
  await service.reports(rotated.token, {})
  expect((await ann.send('DELETE', `${w}/agents/mail`)).status).toBe(200)
  await expect(service.reports(rotated.token, {})).rejects.toThrow('token')
  expect((await ann.get(`${w}/agents/mail`)).status).toBe(404)
  expect((await fleet(ann)).rows).toEqual([])
  expect((await ann.send('POST', `${w}/agents`, { name: 'mail' })).status).toBe(201)
})

test('a renamed agent keeps everything but its name', async () => {
  const { service, ann, token } = await newSetup()
  await service.reports(token, { state: { level: 'warn', label: 'busy' } })
  expect((await ann.send('PATCH', `${w}/agents/mail`, { name: 'post' })).body).toEqual({ name: 'post' })
  expect(await page(ann, 'post')).toMatchObject({ name: 'post', report: { state: { label: 'busy' } } })
  await service.reports(token, { state: { level: 'ok' } })
})

test('the page of a renamed agent answers to its old name for 90 days, and nothing else does', async () => {
  const { service, ann } = await newSetup()
  await ann.send('PATCH', `${w}/agents/mail`, { name: 'post' })
  expect(await page(ann, 'mail')).toMatchObject({ name: 'post' })
  for (const [method, path] of [
    ['GET', '/runs'],
    ['DELETE', ''],
    ['POST', '/token'],
  ] as const)
    expect([path, (await ann.send(method, `${w}/agents/mail${path}`)).status]).toEqual([path, 404])
  await service.workspace('south')
  const eve = await service.person('Eve', 'south', 'admin')
  expect((await eve.get('/api/web/w/south/agents/mail')).status).toBe(404)
  const renamed_at = service.now() - 90 * day * 1000
  await service.store.db.updateTable('agent_old_name').set({ renamed_at }).execute()
  expect((await ann.get(`${w}/agents/mail`)).status).toBe(404)
})

test('an old name means the agent that has it now, and later the one that had it last', async () => {
  const { ann } = await newSetup()
  await ann.send('PATCH', `${w}/agents/mail`, { name: 'post' })
  await ann.send('POST', `${w}/agents`, { name: 'mail' })
  expect(await page(ann, 'mail')).toMatchObject({ name: 'mail' })
  await ann.send('PATCH', `${w}/agents/mail`, { name: 'letters' })
  expect(await page(ann, 'mail')).toMatchObject({ name: 'letters' })
  await ann.send('DELETE', `${w}/agents/letters`)
  expect((await ann.get(`${w}/agents/mail`)).status).toBe(404)
})

test('costs of today and of 30 days are those of the runs, per agent and for the fleet', async () => {
  const { service, north, token, ann } = await newSetup()
  const other = await service.agent(north, 'other')
  await service.agent(north, 'idle')
  const now = seconds(service.now())
  const today = now - (now % day)
  await service.reports(token, {
    runs: [
      { id: 'a', started: today, cost_usd: 0.25, output_tokens: 10, models: { large: 0.2, small: 0.05 } },
      { id: 'b', started: today - 1, cost_usd: 1, models: { large: 1 } },
      { id: 'c', started: today - 29 * day, cost_usd: 2 },
      { id: 'too old', started: today - 30 * day, cost_usd: 100 },
    ],
  })
  await service.reports(other.token, { runs: [{ id: 'a', started: today, cost_usd: 0.1 }] })
  expect(await fleet(ann)).toMatchObject({
    costToday: 0.35,
    cost30: 3.35,
    rows: [
      { name: 'idle', costToday: null, cost30: null, seenAt: null, silentAt: null, level: null },
      { name: 'mail', costToday: 0.25, cost30: 3.25 },
      { name: 'other', costToday: 0.1, cost30: 0.1 },
    ],
  })
  expect(await page(ann)).toMatchObject({
    costToday: 0.25,
    cost30: 3.25,
    runs: { kept: 4, models: ['large', 'small'] },
  })

  const usage = (await ann.get<UsageDay[]>(`${w}/agents/mail/usage?days=30`)).body
  expect(usage).toHaveLength(30)
  expect(usage.at(-1)).toEqual({
    day: new Date(service.now()).toISOString().slice(0, 10),
    runs: 1,
    cost: 0.25,
    outputTokens: 10,
    models: { large: 0.2, small: 0.05 },
  })
  expect(usage.at(-2)).toMatchObject({ runs: 1, cost: 1, models: { large: 1 } })
  expect(usage[0]).toMatchObject({ runs: 1, cost: 2, models: {} })
  expect(usage.reduce((sum, { cost }) => sum + cost, 0)).toBe(3.25)

  // If an agent reports a run again, the run counts once, with its final cost, and the list of agents shows the new
  // cost immediately.
  await service.reports(token, { runs: [{ id: 'a', started: today, cost_usd: 0.5 }] })
  expect((await fleet(ann)).costToday).toBe(0.6)
  service.pass(day)
  expect(await fleet(ann)).toMatchObject({ costToday: null, cost30: 1.6 })
})

test('the fleet counts levels, offline agents and agents that never reported; offline is three intervals, at least 90 s', async () => {
  const { service, north, token, ann } = await newSetup()
  const [second, watched] = [await service.agent(north, 'second'), await service.agent(north, 'third')]
  await service.agent(north, 'never')
  await service.reports(token, { state: { level: 'bad' } })
  await service.reports(second.token, { state: { level: 'nonsense' } })
  await service.reports(watched.token, {})
  const at = (await fleet(ann)).rows.find(({ name }) => name === 'mail')
  expect((at?.silentAt ?? 0) - (at?.seenAt ?? 0)).toBe(90_000)
  expect((await fleet(ann)).counts).toEqual({
    ok: 0,
    info: 1,
    warn: 0,
    bad: 1,
    silent: 0,
    stopped: 0,
    never: 1,
    all: 4,
  })
  service.pass(60)
  await service.reports(second.token, { state: { level: 'ok' } })
  service.pass(31)
  expect((await fleet(ann)).counts).toEqual({
    ok: 1,
    info: 0,
    warn: 0,
    bad: 1,
    silent: 2,
    stopped: 0,
    never: 1,
    all: 4,
  })
  const names = async (query: string) => (await fleet(ann, query)).rows.map(({ name }) => name)
  expect(await names('?silent=true')).toEqual(['mail', 'third'])
  expect(await names('?silent=false')).toEqual(['never', 'second'])
  expect(await names('?level=bad')).toEqual(['mail'])
  expect(await names('?level=never')).toEqual(['never'])
  expect(await names('?level=ok&silent=true')).toEqual([])
  expect((await fleet(ann, '?level=bad')).total).toBe(1)
})

test('the fleet can be searched, sorted in both directions with missing values last, and paged', async () => {
  const { service, north, token, ann } = await newSetup()
  for (const [name, level, label] of [
    ['agent-2', 'ok', 'Sorting letters'],
    ['agent-10', 'bad', 'Broken'],
  ]) {
    const each = await service.agent(north, name ?? '')
    await service.reports(each.token, { state: { level, label }, agent: { version: `1.${label?.length}.0` } })
  }
  await service.reports(token, { state: { level: 'warn' }, active: [{ kind: 'Reading mail' }] })
  await service.agent(north, 'zero')
  const names = async (query: string) => (await fleet(ann, query)).rows.map(({ name }) => name)
  expect(await names('')).toEqual(['agent-2', 'agent-10', 'mail', 'zero'])
  expect(await names('?desc=true')).toEqual(['zero', 'mail', 'agent-10', 'agent-2'])
  expect(await names('?sort=level&desc=true')).toEqual(['agent-10', 'mail', 'agent-2', 'zero'])
  expect(await names('?sort=level')).toEqual(['agent-2', 'mail', 'agent-10', 'zero'])
  expect(await names('?sort=version')).toEqual(['agent-10', 'agent-2', 'mail', 'zero'])
  expect(await names('?search=LETTERS')).toEqual(['agent-2'])
  expect(await names('?search=agent-')).toEqual(['agent-2', 'agent-10'])
  expect(await names('?offset=1&limit=2')).toEqual(['agent-10', 'mail'])
  expect((await fleet(ann, '?offset=1&limit=2')).total).toBe(4)
})

test('the page of an agent is the last report as received, without the fields that the report omitted', async () => {
  const { service, token, ann } = await newSetup()
  expect(await page(ann)).toMatchObject({ report: null, seenAt: null, createdBy: 'operator', open: [], canAct: true })
  await service.reports(token, {
    state: { level: 'ok', label: 'Idle' },
    health: [{ name: 'Disk', level: 'warn' }],
    account: { plan: 'team' },
    unknown: 1,
  })
  const { report } = await page(ann)
  expect(report).toEqual({
    protocol: 1,
    state: { level: 'ok', label: 'Idle' },
    health: [{ name: 'Disk', level: 'warn' }],
    account: { plan: 'team' },
  })
  await service.reports(token, { state: { level: 'bad' } })
  expect((await page(ann)).report).toEqual({ protocol: 1, state: { level: 'bad' } })
})

test('runs are paged newest first and filtered by status, model and text', async () => {
  const { service, token, ann } = await newSetup()
  const now = seconds(service.now())
  const runs = Array.from({ length: 120 }, (_, i) => ({
    id: `run-${i}`,
    started: now - 1000 + i,
    status: i % 2 ? 'done' : 'failed',
    kind: i === 7 ? 'Nightly' : 'hourly',
    ...(i % 3 === 0 && { models: { large: 0.01 } }),
    ...(i === 9 && { subjects: [{ title: 'Ünique "title"', share: 0.5 }] }),
  }))
  await service.reports(token, { runs })
  const ask = async (query = '') => (await ann.get<Runs>(`${w}/agents/mail/runs${query}`)).body
  const all = await ask()
  expect([all.total, all.rows.length, all.rows[0]?.id]).toEqual([120, 50, 'run-119'])
  expect((await ask('?offset=100')).rows.map(({ id }) => id).at(-1)).toBe('run-0')
  expect((await ask('?status=failed')).total).toBe(60)
  expect((await ask('?status=failed&model=large')).total).toBe(20)
  expect((await ask('?text=nightly')).rows.map(({ id }) => id)).toEqual(['run-7'])
  const lookalike = encodeURIComponent('ｎｉｇｈｔ\u00adly')
  expect((await ask('?text=nightly%20RUN-7')).rows.map(({ id }) => id)).toEqual(['run-7'])
  expect((await ask(`?text=${lookalike}`)).rows.map(({ id }) => id)).toEqual(['run-7'])
  expect((await ask(`?text=${encodeURIComponent('ünique "T')}`)).rows.map(({ id }) => id)).toEqual(['run-9'])
  expect((await ask('?text=RUN-11&offset=1&limit=3')).total).toBe(11)
  expect((await ask('?model=none')).total).toBe(0)
  expect((await page(ann)).runs).toEqual({ kept: 120, statuses: ['done', 'failed'], models: ['large'] })
})

test('runs of a job are found by its exact name', async () => {
  const { service, token, ann } = await newSetup()
  const started = seconds(service.now())
  const run = (id: string, kind = 'job') => ({ id, kind, started, status: 'ok' })
  await service.reports(token, { runs: [run('back/1'), run('feedback/1'), run('back-up/1'), run('back/2', 'task')] })
  const ids = async (job: string) =>
    (await ann.get<Runs>(`${w}/agents/mail/runs?job=${job}`)).body.rows.map(({ id }) => id)
  expect([await ids('back'), await ids('feedback'), await ids('up')]).toEqual([['back/1'], ['feedback/1'], []])
  const file = await ann.get(`${w}/agents/mail/runs/export?job=back`)
  expect(file.text.match(/^"\w[^"]*\/\d"/gm)).toEqual(['"back/1"'])
})

test('runs are sorted by cost and duration, found by their id, and exported as CSV without formulas', async () => {
  const { service, token, ann } = await newSetup()
  const start = 1_790_000_000
  const run = (id: string, cost: number | undefined, took: number | undefined, more: object = {}) => ({
    id,
    started: start,
    ...(cost !== undefined && { cost_usd: cost }),
    ...(took !== undefined && { ended: start + took }),
    ...more,
  })
  const subjects = [{ title: '=SUM(A1)' }, { title: 'Mail, "two"' }]
  await service.reports(token, {
    runs: [
      run('a', 0.5, 60),
      run('b', 2, undefined, { kind: 'x' }),
      run('c', undefined, 5, { status: 'failed', subjects }),
    ],
  })
  const ids = async (query: string) =>
    (await ann.get<Runs>(`${w}/agents/mail/runs${query}`)).body.rows.map(({ id }) => id).join('')
  expect([await ids('?sort=cost'), await ids('?sort=cost&rising=true')]).toEqual(['bac', 'abc'])
  expect([await ids('?sort=duration'), await ids('?sort=duration&rising=true')]).toEqual(['acb', 'cab'])
  expect([await ids(''), await ids('?rising=true')]).toEqual(['cba', 'abc'])
  expect([await ids('?id=b'), await ids('?id=B')]).toEqual(['b', ''])
  const file = await ann.get(`${w}/agents/mail/runs/export?status=failed`)
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="mail-runs.csv"')
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  const [head, line, end] = file.text.split('\r\n')
  const columns = [
    'id',
    'started',
    'ended',
    'seconds',
    'kind',
    'status',
    'subjects',
    'models',
    'output_tokens',
    'cost_usd',
  ]
  expect(head).toBe(columns.map((column) => `"${column}"`).join(','))
  expect(line).toBe(`"c","${at(start)}","${at(start + 5)}",5,,"failed","'=SUM(A1); Mail, ""two""",,,`)
  expect(end).toBe('')
  const all = (await ann.get(`${w}/agents/mail/runs/export?sort=cost`)).text.split('\r\n')
  expect(all.map((each) => each[1])).toEqual(['i', 'b', 'a', 'c', undefined])
})

test('the page of a paused agent names the person whose command paused it', async () => {
  const { service, token, ann } = await newSetup()
  await service.reports(token, { controls: ['pause'] })
  const { id } = (await ann.send<ShownCommand>('POST', `${w}/agents/mail/commands`, { type: 'pause' })).body
  const paused = (command: string) => {
    const detail = `Since 2026-11-22 06:45:57 UTC, by the service (command ${command}).`
    return service.reports(token, { controls: ['pause'], state: { level: 'info', label: 'Paused', detail } })
  }
  await paused(id)
  expect((await page(ann)).pausedBy).toBe('Ann')
  await paused('another')
  expect((await page(ann)).pausedBy).toBeNull()
})

test('the page says when the next report is due', async () => {
  const { service, token, ann } = await newSetup()
  expect((await page(ann)).nextReportAt).toBeNull()
  const { interval } = await service.reports(token, {})
  const { seenAt, nextReportAt } = await page(ann)
  expect(nextReportAt).toBe((seenAt ?? 0) + interval * 1000)
  await service.reports(token, { stopped: 'person' })
  expect((await page(ann)).nextReportAt).toBeNull()
})

test("a command is queued, delivered to the agent, and answered in the agent's words", async () => {
  const { service, token, ann } = await newSetup()
  const press = (body: object) => ann.send<ShownCommand>('POST', `${w}/agents/mail/commands`, body)
  expect((await press({ type: 'pause' })).status).toBe(409)
  await service.reports(token, {
    controls: ['pause'],
    settings: { schema: [{ key: 'every', type: 'number', min: 1 }] },
  })
  expect(await press({ type: 'pause' })).toMatchObject({
    status: 201,
    body: { type: 'pause', state: 'queued', createdBy: 'Ann' },
  })
  expect((await press({ type: 'pause' })).status).toBe(200)
  expect(await press({ type: 'set', payload: { every: 0 } })).toMatchObject({
    status: 409,
    body: { error: { code: 'command_not_offered' } },
  })
  expect((await press({ type: 'dance' })).status).toBe(400)
  expect((await page(ann)).open).toMatchObject([{ type: 'pause', state: 'queued' }])
  const { commands } = await service.reports(token, { controls: ['pause'] })
  expect(commands).toMatchObject([{ type: 'pause', payload: {} }])
  await service.reports(token, { acks: [{ id: commands[0]?.id, ok: false, message: 'Not on a Sunday.' }] })
  const ledger = (await ann.get<Commands>(`${w}/agents/mail/commands`)).body
  expect(ledger).toMatchObject({
    total: 1,
    rows: [{ state: 'refused', message: 'Not on a Sunday.', createdBy: 'Ann' }],
  })
  await service.reports(token, { controls: ['pause'] })
  const again = await ann.send<ShownCommand>('POST', `${w}/agents/mail/commands/${commands[0]?.id}/again`)
  expect(again).toMatchObject({ status: 201, body: { type: 'pause', state: 'queued' } })
  expect(again.body.id).not.toBe(commands[0]?.id)
})

test('a command for many agents says for each whether it was queued', async () => {
  const { service, north, token, ann } = await newSetup()
  const second = await service.agent(north, 'second')
  await service.reports(token, { controls: ['pause'] })
  await service.reports(second.token, {})
  const answer = await ann.send('POST', `${w}/commands`, { agents: ['mail', 'second', 'nobody'], type: 'pause' })
  expect(answer.body).toEqual([
    { agent: 'mail', ok: true, message: null },
    { agent: 'second', ok: false, message: 'The agent does not offer "pause".' },
    { agent: 'nobody', ok: false, message: 'There is no such agent.' },
  ])
  expect((await ann.send('POST', `${w}/commands`, { agents: ['mail'], type: 'set' })).status).toBe(400)
})

test('a log is read by admins as text, downloaded as a file, linked from its command, and deleted after 30 days', async () => {
  const { service, token, ann } = await newSetup()
  await service.reports(token, { active: [{ kind: 'work', log: 'work/1' }] })
  expect((await page(ann)).logs).toEqual(['work/1'])
  await ann.send('POST', `${w}/agents/mail/commands`, { type: 'log', payload: { name: 'work/1' } })
  const { commands } = await service.reports(token, { active: [{ kind: 'work', log: 'work/1' }] })
  const text = 'first line\n<script>alert(1)</script>\n'
  await service.uploads(token, { command: commands[0]?.id ?? '', name: 'work/1', text })
  const [entry] = (await ann.get<LogEntry[]>(`${w}/agents/mail/logs`)).body
  expect(entry).toMatchObject({ name: 'work/1', askedBy: 'Ann', bytes: text.length })
  const ledger = (await ann.get<Commands>(`${w}/agents/mail/commands`)).body
  expect(ledger.rows).toMatchObject([{ state: 'applied', logId: entry?.id }])
  expect((await ann.get<LogText>(`${w}/agents/mail/logs/${entry?.id}`)).body.text).toBe(text)
  const file = await ann.get(`${w}/agents/mail/logs/${entry?.id}/download`)
  expect(file.text).toBe(text)
  expect(file.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="mail-work_1-[0-9T-]+\.txt"$/)
  // The activity has one line for a person who has read a log, however often the page loads that log.
  await ann.get(`${w}/agents/mail/logs/${entry?.id}`)
  const readings = (await ann.get<AuditEntry[]>(`${w}/activity`)).body.filter(({ action }) => action.startsWith('log.'))
  expect(readings).toMatchObject([
    { actor: 'Ann', action: 'log.downloaded', subject: 'agent mail', details: { name: 'work/1' } },
    { actor: 'Ann', action: 'log.read', subject: 'agent mail', details: { name: 'work/1' } },
  ])
  service.pass(30 * day + 1)
  expect((await ann.get(`${w}/agents/mail/logs`)).body).toEqual([])
  expect((await ann.get(`${w}/agents/mail/logs/${entry?.id}`)).status).toBe(404)
  expect((await ann.get(`${w}/agents/mail/logs/${entry?.id}/download`)).status).toBe(404)
})

test('agents, commands and logs of one workspace are not found from another, even under the same agent name', async () => {
  const { service, token, ann } = await newSetup()
  const south = await service.workspace('south')
  await service.agent(south, 'mail')
  const eve = await service.person('Eve', 'south', 'admin')
  await service.reports(token, {
    controls: ['pause'],
    active: [{ kind: 'x', log: 'work' }],
    state: { label: 'confidential' },
  })
  const pause = (await ann.send<ShownCommand>('POST', `${w}/agents/mail/commands`, { type: 'pause' })).body
  await ann.send('POST', `${w}/agents/mail/commands`, { type: 'log', payload: { name: 'work' } })
  const { commands } = await service.reports(token, { active: [{ kind: 'x', log: 'work' }], controls: ['pause'] })
  const asked = commands.find(({ type }) => type === 'log')
  await service.uploads(token, { command: asked?.id ?? '', name: 'work', text: 'confidential' })
  const [log] = (await ann.get<LogEntry[]>(`${w}/agents/mail/logs`)).body
  const s = '/api/web/w/south'
  for (const path of [`/agents/mail/logs/${log?.id}`, `/agents/mail/logs/${log?.id}/download`]) {
    expect((await eve.get(s + path)).status).toBe(404)
  }
  expect((await eve.send('POST', `${s}/agents/mail/commands/${pause.id}/again`)).status).toBe(404)
  for (const path of [
    '/fleet',
    '/agents/mail',
    '/agents/mail/logs',
    '/agents/mail/commands',
    '/agents/mail/runs',
    '/activity',
  ]) {
    const answer = await eve.get(s + path)
    expect([path, answer.status]).toEqual([path, 200])
    expect(answer.text).not.toContain('confidential')
    expect(answer.text).not.toContain(pause.id)
  }
})

test('the operator sees an agent as its page shows it, with its runs', async () => {
  const { service, north, token } = await newSetup()
  await service.reports(token, {
    agent: { version: '2.0.0' },
    runtime: { version: '1.2.3' },
    runs: [
      { id: 'old', started: 1000 },
      { id: 'new', started: 2000 },
    ],
  })
  const agent = await findAgent(service.store.db, north, 'mail')
  const shown = agent && (await agentSnapshot(service.store.db, agent, service.now()))
  expect(shown).toMatchObject({ name: 'mail', version: '2.0.0', runtime: { version: '1.2.3' }, blueprint: null })
  expect(shown?.report?.runs).toEqual([
    { id: 'new', started: 2000 },
    { id: 'old', started: 1000 },
  ])
})

test('the operator sees which versions are wished for an agent, and which are held', async () => {
  const { service, north, token, ann } = await newSetup()
  const place = { store: service.store, clock: { now: service.now, pass: service.pass }, workspace: north }
  const agent = await findAgent(service.store.db, north, 'mail')
  if (!agent) throw new Error('There is no such agent.')
  await ofBlueprint(place, agent, 'triage', '1.0.0')
  await ofBlueprint(place, agent, 'triage', '1.1.0')
  await serveRelease(place, '2.0.0')
  const shown = async () => {
    const row = await findAgent(service.store.db, north, 'mail')
    return row && (await agentSnapshot(service.store.db, row, service.now()))
  }
  const reports = (outcome: string, message: string) =>
    service.reports(token, {
      applied: { version: '1.0.0', outcome, message },
      runtime: { version: '1.0.0', applied: { version: '1.0.0', outcome, message } },
    })
  await service.store.db.updateTable('agent').set({ installed_version: '1.0.0' }).where('id', '=', agent.id).execute()
  await reports('ok', 'installed')
  const wish = { kind: 'blueprint', blueprint: 'triage', version: '1.1.0', agents: ['mail'] }
  expect((await ann.send('POST', `${w}/wishes`, wish)).status).toBe(200)
  expect((await ann.send('POST', `${w}/agents/mail/wishes/runtime`)).status).toBe(200)
  expect(await shown()).toMatchObject({
    wishes: { blueprint: '1.1.0', runtime: '2.0.0' },
    holds: { blueprint: null, runtime: null },
  })
  await reports('ok', 'installed')
  await reports('failed', 'it would not start')
  expect(await shown()).toMatchObject({ holds: { blueprint: '1.1.0', runtime: '2.0.0' } })
})
