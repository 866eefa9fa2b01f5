/** Fills a service with made-up agents, runs, alerts and rollouts, for the pictures of screenshots.ts. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, type SimulatedAgent, uploadVersions } from '../../packages/dashboard/src/updates/testing/fleet.ts'
import type { BrowserSetup, Visitor } from '../../packages/dashboard/testing/browser-setup.ts'

const root = join(import.meta.dirname, '../..')
const day = 86_400
const now = Math.floor(Date.now() / 1000)

const agents = [
  'mail-triage',
  'invoice-filing',
  'release-notes',
  'ticket-router',
  'nightly-tests',
  'docs-gardener',
  'price-watch',
]
const states: Record<string, { level: string; label: string; detail: string }> = {
  'mail-triage': { level: 'ok', label: 'Working', detail: 'Sorting the mail of this morning, 14 of 51 done' },
  'invoice-filing': { level: 'warn', label: 'Two invoices wait', detail: 'No order number on 2231 and 2240' },
  'release-notes': { level: 'ok', label: 'Up to date', detail: 'Nothing was merged since 09:12' },
  'ticket-router': {
    level: 'bad',
    label: 'Ticket system refuses',
    detail: 'HTTP 401 since 08:40: the token was revoked',
  },
  'nightly-tests': { level: 'info', label: 'Paused', detail: 'Paused on the machine at 07:55' },
  'docs-gardener': { level: 'ok', label: 'Working', detail: 'Reading 212 pages' },
  'price-watch': { level: 'ok', label: 'Waiting', detail: 'Next look at 14:00' },
}

const failedJobs = [
  { name: 'Job backup', level: 'bad', detail: 'failed (exit 1) 03:12, 3 times in a row' },
  { name: 'Job export-tickets', level: 'bad', detail: 'overdue by 2 h, last began 24 Nov 03:00' },
]

function reportOf(name: string, index: number): Record<string, unknown> {
  const runs = Array.from({ length: 40 }, (_, i) => ({
    id: `${name}-${i}`,
    started: now - 600 - Math.floor((i * 30 * day) / 40) - index * 1000,
    ended: now - 600 - Math.floor((i * 30 * day) / 40) - index * 1000 + 200 + ((i * 97) % 400),
    kind: i % 5 === 4 ? 'review' : 'triage',
    status: i % 11 === 7 ? 'failed' : 'done',
    cost_usd: 0.11 + ((i * 37 + index * 13) % 50) / 100,
    output_tokens: 2200 + ((i * 991) % 4000),
    models: { 'large-2': 0.08 + ((i * 37 + index * 13) % 50) / 100, 'small-2': 0.03 },
    subjects: [
      { title: `Invoice ${2200 + i}`, url: `https://mail.example/m/${2200 + i}`, share: 0.7 },
      { title: 'Answer about the delivery', share: 0.3 },
    ],
    log: 'work',
  }))
  const busy = name === 'mail-triage' || name === 'docs-gardener'
  return {
    agent: { version: `1.${4 - (index % 3)}.0`, host: `build-0${(index % 4) + 1}` },
    state: states[name],
    health: [
      { name: 'Mailbox', level: 'ok', detail: 'read 20 s ago' },
      { name: 'Disk', level: index % 3 === 1 ? 'warn' : 'ok', detail: `${61 + index * 4} % used on /var` },
      { name: 'Process', level: 'ok', detail: 'running for 3 h' },
      ...(name === 'ticket-router' ? failedJobs : []),
    ],
    active: busy
      ? [
          {
            kind: 'triage',
            model: 'large-2',
            started: now - 95,
            steps: 14,
            detail: 'Reading the attachments',
            subjects: [{ title: 'Invoice 2231', url: 'https://mail.example/m/2231', share: 0.5 }],
            log: 'work',
          },
        ]
      : [],
    gauges: [
      { name: 'Tokens today', used: 0.42 + index / 20, mark: 0.8, detail: '420 k of 1 M' },
      { name: 'Week', used: 0.17 + index / 30, mark: 0.6 },
    ],
    runs,
    panels: [
      {
        type: 'list',
        title: 'Drafts that wait',
        items: [
          {
            title: 'Re: Meeting on Thursday',
            url: 'https://mail.example/d/1',
            meta: '2 h',
            badge: 'draft',
            level: 'info',
          },
          {
            title: 'Re: Rechnung 2231',
            url: 'https://mail.example/d/2',
            meta: '3 h',
            badge: 'asks you',
            level: 'warn',
          },
        ],
      },
      {
        type: 'table',
        title: 'Senders this week',
        columns: ['Sender', 'Mails', 'Answered'],
        rows: [
          [{ text: 'accounts@supplier.example', url: 'https://supplier.example/' }, '31', '29'],
          ['desk@city.example', '12', '12'],
        ],
      },
      {
        type: 'kv',
        title: 'Today',
        items: [
          { label: 'Sorted', value: '51' },
          { label: 'Drafted', value: '9' },
        ],
      },
      { type: 'text', title: 'Last words', lines: ['09:12 filed 14 invoices', '09:14 asked about 2231'] },
    ],
    settings: {
      schema: [
        {
          key: 'every',
          label: 'Minutes between runs',
          type: 'number',
          min: 1,
          max: 120,
          help: 'How often the mailbox is read.',
          group: 'Schedule',
        },
        { key: 'quiet_until', label: 'Quiet until', type: 'datetime', group: 'Schedule' },
        { key: 'sure', label: 'Files by itself when sure to', type: 'percent', min: 50, max: 100, group: 'Judgement' },
        {
          key: 'tone',
          label: 'Tone of drafts',
          type: 'select',
          options: [
            { value: 'kind', label: 'Kind' },
            { value: 'brief', label: 'Brief' },
          ],
          group: 'Judgement',
        },
        { key: 'drafts', label: 'Write drafts', type: 'bool', group: 'Judgement' },
      ],
      values: { every: 10, quiet_until: null, sure: 90, tone: 'kind', drafts: true },
    },
    controls: ['pause', 'resume', 'run_now'],
    account: { org: 'North Wind', plan: 'team', email: 'agents@north-wind.example' },
    runtime: { version: '0.1.0' },
  }
}

/**
 * Fills the service with data for the pictures. Its result `reportAgain` makes all agents report once more, since they
 * would go offline while pictures are taken.
 */
export async function furnish(
  setup: BrowserSetup,
  ada: Visitor,
): Promise<{ rollout: string; reportAgain: () => Promise<void> }> {
  const tokens = new Map<string, string>()
  for (const [i, name] of agents.entries()) {
    const { token } = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name })
    tokens.set(name, token)
    await setup.report(token, { ...reportOf(name, i), state: { level: 'info', label: 'Starting' } })
    await setup.report(token, reportOf(name, i))
  }
  await furnishCommands(setup, ada, tokens.get('mail-triage') ?? '')
  await furnishAlerts(setup, ada)
  await ada.call('POST', '/api/web/w/north-wind/invitations', { email: 'ben@north-wind.example', role: 'member' })
  const folder = mkdtempSync(join(tmpdir(), 'svc-shots-'))
  const bundle = join(folder, 'bundle.zip')
  const svc = join(root, 'packages/runtime/src/main.ts')
  execFileSync(process.execPath, [svc, 'pack', join(root, 'examples/link-checker'), '--out', bundle])
  await setup.operator(['blueprint', 'upload', 'north-wind', bundle])
  rmSync(folder, { recursive: true })
  const { id, played } = await furnishUpdates(setup, ada)
  const reportAgain = async () => {
    for (const [i, name] of agents.entries()) await setup.report(tokens.get(name) ?? '', reportOf(name, i))
    for (const agent of played) await agent.report()
  }
  return { rollout: id, reportAgain }
}

/**
 * Makes a halted rollout, in which one agent kept the new version and another was rolled back to the old one. Returns
 * the rollout's id and the agents.
 */
async function furnishUpdates(setup: BrowserSetup, ada: Visitor): Promise<{ id: string; played: SimulatedAgent[] }> {
  await uploadVersions(setup, ['1.0.0', '1.1.0', '1.2.0'])
  const installed = new Map<string, SimulatedAgent>()
  const names = ['inbox-east', 'inbox-north', 'inbox-south', 'inbox-west']
  for (const name of [...names, 'desk-1', 'desk-2', 'desk-3']) installed.set(name, await install(setup, name, '1.0.0'))
  const wish = { kind: 'blueprint', blueprint: 'mail-triage', version: '1.2.0' }
  const waves = { agents: names, watchSeconds: 0, waves: ['50%'] }
  const { id } = await ada.call<{ id: string }>('POST', '/api/web/w/north-wind/rollouts', { ...wish, ...waves })
  for (const agent of installed.values()) await agent.report({ runtime: { version: '0.1.0' } })
  await installed.get('inbox-north')?.keeps('1.2.0')
  await installed.get('inbox-east')?.rollsBack('1.2.0', 'it said bad: no answer from the mailbox')
  return { id, played: [...installed.values()] }
}

/**
 * Opens alerts of two agents, and makes channels, a mute, and alerts that ended. No message arrives anywhere, since the
 * channels have addresses where nothing listens.
 */
async function furnishAlerts(setup: BrowserSetup, ada: Visitor): Promise<void> {
  const north = '/api/web/w/north-wind'
  for (const channel of [
    { name: 'ops', kind: 'webhook', url: 'http://127.0.0.1:9/alerts' },
    { name: 'night', kind: 'slack', url: 'http://127.0.0.1:9/services/T0/B0/secret' },
  ])
    await ada.call('POST', `${north}/channels`, channel)
  const rules = [
    { rule: 'bad', after: 0 },
    { rule: 'item', after: 0 },
    { rule: 'warning', on: true, after: 0, channels: ['night'] },
    { rule: 'cost_day', limit: 25 },
  ]
  for (const rule of rules) await ada.call('PATCH', `${north}/rules`, rule)
  for (const name of ['ops', 'night']) await ada.call('POST', `${north}/channels/${name}/test`, {})
  await ada.call('POST', `${north}/mutes`, { agent: 'docs-gardener', seconds: 8 * 3600 })
  await ada.call('POST', `${north}/mutes`, { agent: 'docs-gardener', item: 'Job index', seconds: 2 * 3600 })
  type Open = { rows: { id: string }[] }
  const open = async () => (await ada.call<Open>('GET', `${north}/alerts/lines`)).rows
  while ((await open()).length < 3) await new Promise((go) => setTimeout(go, 500))
  await ada.call('POST', `${north}/alerts/${(await open())[0]?.id}/acknowledge`, { note: 'I ask the supplier.' })
  const ended = (hours: number) =>
    Array.from({ length: 6 }, (_, i) => {
      const from = (now - (i + 1) * hours * 3600) * 1000
      return [from, from + (i + 1) * 700_000] as const
    })
  setup.addEndedAlerts('bad', ended(5))
  setup.addEndedAlerts('warning', ended(11))
}

/** Sends commands, acks and a log, so that the list of commands shows different outcomes. */
async function furnishCommands(setup: BrowserSetup, ada: Visitor, token: string): Promise<void> {
  const url = '/api/web/w/north-wind/agents/mail-triage/commands'
  for (const wish of [
    { type: 'set', payload: { every: 15 } },
    { type: 'run_now', payload: {} },
    { type: 'log', payload: { name: 'work' } },
  ])
    await ada.call('POST', url, wish)
  const { commands } = await setup.report(token, reportOf('mail-triage', 0))
  const [set, run, log] = commands
  await setup.report(token, {
    ...reportOf('mail-triage', 0),
    acks: [
      { id: set?.id, ok: true, message: 'Minutes between runs: 15.' },
      { id: run?.id, ok: false, message: 'Not before the budget of today is renewed at 00:00.' },
    ],
  })
  const lines = Array.from(
    { length: 300 },
    (_, i) => `09:${String(i % 60).padStart(2, '0')} looked at message ${9000 + i}`,
  )
  await fetch(`${setup.url}/api/agent/v1/log`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ command: log?.id, name: 'work', text: lines.join('\n') }),
  })
  await ada.call('POST', url, { type: 'pause', payload: {} })
}
