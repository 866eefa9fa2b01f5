/**
 * Tests every limit of docs/operate.md: as many rows as it allows are added by the operation itself, and the next one
 * is refused. Of many rows only the first and the last are added by the operation, and the others are copies. The last
 * test fails for a new limit until it has a row here, or a listed reason why it needs none.
 */
import { activityBound, bounds } from '@svc/api'
import { maxTags } from '@svc/api/filter'
import { expect, test } from 'vitest'
import { bundle } from '../../../testing/bundles.ts'
import { type Browser, type Service, serve } from '../../../testing/page/service.ts'
import { offering } from '../../../testing/service.ts'
import { ofBlueprint } from '../../../testing/wishes.ts'
import { maxChannels, maxOwnChannels } from '../../alerts/changes/channels.ts'
import { maxMutes } from '../../alerts/changes/muting.ts'
import { maxPendingCommands } from '../../fleet/commands/store.ts'
import { maxViews } from '../../fleet/views/store.ts'
import { sendLimits } from '../../people/accounts/sends.ts'
import { foldLimits, maxEvidence } from '../../people/audit/fold.ts'
import { setLimits } from '../../people/workspaces/limits.ts'
import { maxOwnWorkspaces } from '../../people/workspaces/making.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { surplus } from '../../service/sweeper/surplus.ts'
import { maxCodes } from '../../updates/installs/issue.ts'

interface Setup {
  service: Service
  north: { id: string; slug: string }
  /** Sends a request as a member of the workspace who may do what the row needs. */
  send: (method: string, path: string, body?: unknown) => Promise<Said>
  /** Uploads a version of the blueprint `mail`. */
  upload: (version: string) => Promise<Said>
}

/** An answer: its status, and the code of its error. */
interface Said {
  status: number
  error: string | undefined
}

interface Row {
  /** An operation that has the bound. */
  route: keyof typeof bounds
  /** The number of rows that fit. */
  max: number
  /** How the table of docs/operate.md names that number, if a smaller one is set for the test. */
  written?: string
  before?: (setup: Setup) => Promise<unknown>
  add: (setup: Setup, number: number) => Promise<Said>
  /** The table that gets copies of the first row, and what is different in each. */
  copies?: readonly [table: keyof Tables, differs: (number: number) => Record<string, unknown>]
  /** The code of the refusal. */
  code: string
}

const w = '/api/web/w/north'
const findBundle = (version: string) => bundle({ version, files: { 'main.py': 'print(1)\n' } })
const channel = (number: number) => ({ name: `c${number}`, kind: 'webhook', url: 'https://hooks.example.org/svc' })
const own = (number: number) => ({ name: `c${number}`, kind: 'email', zone: 'UTC' })
const lowered = (kind: 'agents' | 'people' | 'bundles', value: number) => async (setup: Setup) =>
  setLimits({ db: setup.service.store.db, by: { id: null, name: 'operator' }, now: setup.service.now() }, setup.north, {
    [kind]: value,
  })
/** Makes tests of channels fail at once, so that none waits for a receiver. */
const unreadable = ({ service }: Setup) => service.store.db.updateTable('alert_channel').set({ sealed: '' }).execute()

const rows: readonly Row[] = [
  {
    route: 'POST /w/:slug/mutes',
    max: maxMutes,
    add: ({ send }) => send('POST', `${w}/mutes`, { seconds: 3600 }),
    copies: ['alert_mute', (number) => ({ id: `copy${number}` })],
    code: 'mutes_too_many',
  },
  {
    route: 'POST /w/:slug/channels',
    max: maxChannels,
    add: ({ send }, number) => send('POST', `${w}/channels`, channel(number)),
    copies: ['alert_channel', (number) => ({ id: `copy${number}`, name: `copy${number}` })],
    code: 'channels_too_many',
  },
  {
    route: 'POST /w/:slug/my-channels',
    max: maxOwnChannels,
    add: ({ send }, number) => send('POST', `${w}/my-channels`, own(number)),
    code: 'channels_too_many',
  },
  {
    route: 'PUT /w/:slug/views',
    max: maxViews,
    add: ({ send }, number) => send('PUT', `${w}/views`, { name: `View ${number}`, q: 'level:bad' }),
    copies: ['saved_view', (number) => ({ id: `copy${number}`, name: `copy${number}` })],
    code: 'views_too_many',
  },
  {
    route: 'POST /w/:slug/channels/:channel/test',
    max: sendLimits.test_channel.max,
    before: async (setup) => {
      await setup.send('POST', `${w}/channels`, channel(0))
      await unreadable(setup)
    },
    add: ({ send }) => send('POST', `${w}/channels/c0/test`),
    code: 'rate_limited',
  },
  {
    route: 'POST /w/:slug/my-channels/:channel/test',
    max: sendLimits.test_person.max,
    before: async (setup) => {
      for (let i = 0; i <= sendLimits.test_person.max; i++) await setup.send('POST', `${w}/my-channels`, own(i))
      await unreadable(setup)
    },
    add: ({ send }, number) => send('POST', `${w}/my-channels/c${number}/test`),
    code: 'rate_limited',
  },
  {
    route: 'POST /w/:slug/agents/:name/commands',
    max: maxPendingCommands,
    before: async ({ service, north }) => {
      const { token } = await service.agent(north, 'one')
      await service.reports(token, offering)
    },
    add: ({ send }) => send('POST', `${w}/agents/one/commands`, { type: 'set', payload: { every: 5 } }),
    copies: ['command', (number) => ({ id: `copy${number}` })],
    code: 'commands_too_many',
  },
  {
    route: 'POST /w/:slug/agents',
    max: 3,
    written: '10,000',
    before: lowered('agents', 3),
    add: ({ send }, number) => send('POST', `${w}/agents`, { name: `a${number}` }),
    code: 'agents_too_many',
  },
  {
    route: 'POST /w/:slug/tags',
    max: maxTags,
    before: ({ service, north }) => service.agent(north, 'one'),
    add: ({ send }, number) => send('POST', `${w}/tags`, { agents: ['one'], add: [`t${number}`] }),
    code: 'tags_too_many',
  },
  {
    route: 'POST /w/:slug/codes',
    max: maxCodes,
    before: ({ upload }) => upload('1.0.0'),
    add: ({ send }) => send('POST', `${w}/codes`, { blueprint: 'mail', version: '1.0.0' }),
    copies: ['install_code', (number) => ({ id: `copy${number}`, hash: `copy${number}` })],
    code: 'codes_too_many',
  },
  {
    route: 'POST /w/:slug/rollouts',
    max: 1,
    written: 'one',
    before: async (setup) => {
      const { service, north } = setup
      const { agent, token } = await service.agent(north, 'one')
      await setup.upload('1.1.0')
      const place = { store: service.store, clock: { now: service.now, pass: service.pass }, workspace: north }
      await ofBlueprint(place, agent, 'mail', '1.0.0')
      const applied = { version: '1.0.0', outcome: 'ok', message: 'installed' }
      await service.reports(token, { ...offering, applied, runtime: { version: '0.9.0' } })
    },
    add: ({ send }) => send('POST', `${w}/rollouts`, { kind: 'blueprint', blueprint: 'mail', version: '1.1.0' }),
    code: 'rollout_empty',
  },
  {
    route: 'POST /w/:slug/invitations',
    max: 3,
    written: '200',
    before: lowered('people', 4),
    add: ({ send }, number) => send('POST', `${w}/invitations`, { email: `p${number}@example.org`, role: 'member' }),
    code: 'people_too_many',
  },
  {
    route: 'POST /workspaces',
    max: maxOwnWorkspaces - 1, // The person is an admin of the workspace of the test.
    written: String(maxOwnWorkspaces),
    add: ({ send }, number) => send('POST', '/api/web/workspaces', { slug: `w${number}`, name: 'W' }),
    code: 'workspaces_too_many',
  },
  {
    route: 'POST /w/:slug/blueprints',
    max: 1,
    written: '1.0 GB',
    before: async (setup) => lowered('bundles', (await findBundle('1.0.0')).length)(setup),
    add: ({ upload }, number) => upload(`1.0.${number}`),
    code: 'bundles_too_many',
  },
  {
    route: 'POST /forgot',
    max: 3,
    add: async ({ service }) => {
      const { db } = service.store
      const mails = async () =>
        Number(
          (
            await db
              .selectFrom('account_mail')
              .select((eb) => eb.fn.countAll().as('n'))
              .executeTakeFirstOrThrow()
          ).n,
        )
      const before = await mails()
      const { status } = await service.browser().send('POST', '/api/web/forgot', { email: 'ann@example.org' })
      // The answer never says whether there is an account, so only the mail tells.
      return {
        status: (await mails()) > before ? status : 409,
        error: (await mails()) > before ? undefined : 'no mail',
      }
    },
    code: 'no mail',
  },
]

/** Bounds that need no count, since a row has the key of something that is itself bounded. */
const keyed = {
  'POST /start': 'a row of accounts for each link of the operator or invitation',
  'POST /link': 'a session for each link, which works once',
  'PATCH /w/:slug/rules': 'a row for each rule',
  'PATCH /w/:slug/alert-settings': 'a row for each workspace',
  'POST /w/:slug/wishes': 'a row for each agent and kind',
  'POST /w/:slug/actions': 'erased after 30 days: tested in updates/actions/actions.store.test.ts',
  'PATCH /me': 'a row for each person',
  'POST /factors/totp': 'a row for each person',
  'POST /factors/recovery': 'ten rows replace those of before: tested in people/factors/store.store.test.ts',
  'POST /factors/passkeys': 'tested in web/routing/passkeys.http.test.ts',
  'POST /factors/oidc': 'a row for each person',
  'POST /proof': 'a row for each session',
  'PATCH /w/:slug/agents/:name': 'beyond 20, the oldest are forgotten: tested in fleet/agents/old-names.store.test.ts',
} as const satisfies Partial<Record<keyof typeof bounds, string>>

/** Copies the first row of a table `count` times, and returns `count`. */
async function copied(
  { store }: Service,
  [table, differs]: NonNullable<Row['copies']>,
  count: number,
): Promise<number> {
  const [row] = await store.db.selectFrom(table).selectAll().execute()
  for (let i = 0; i < count; i++)
    await store.db
      .insertInto(table)
      .values({ ...row, ...differs(i) } as never)
      .execute()
  return count
}

test.each(rows.map((row) => [row.route, row] as const))('%s is refused beyond its bound', async (route, row) => {
  const service = await serve({ smtpUrl: 'smtp://127.0.0.1:1' })
  const north = await service.workspace('north')
  const person: Browser = await service.person('Ann', 'north', 'admin')
  const send: Setup['send'] = async (method, path, body) => {
    const answer = await person.send<{ error?: { code: string } }>(method, path, body)
    return { status: answer.status, error: answer.body?.error?.code }
  }
  const upload: Setup['upload'] = async (version) => {
    const answer = await fetch(`${service.origin}${w}/blueprints`, {
      method: 'POST',
      body: new Uint8Array(await findBundle(version)),
      headers: { cookie: person.cookie, origin: service.origin, 'content-type': 'application/zip' },
    })
    const said = (await answer.json()) as { error?: { code: string } }
    return { status: answer.status, error: said.error?.code }
  }
  const setup: Setup = { service, north, send, upload }
  await row.before?.(setup)
  for (let i = 0; i < row.max; i++) {
    const { status, error } = await row.add(setup, i)
    expect([i, error, status < 300]).toEqual([i, undefined, true])
    if (row.copies && i === 0) i += await copied(service, row.copies, row.max - 2)
  }
  expect((await row.add(setup, row.max)).error).toBe(row.code)
  expect(bounds[route]?.limit).toContain(row.written ?? String(row.max))
})

/**
 * For each bound, how rows that no longer count are erased: the kind of surplus, or the reason why there are no such
 * rows.
 */
const over: Record<string, keyof typeof surplus | { because: string }> = {
  mutes: 'alert_mute',
  'tests of channels': 'alert_delivery',
  'commands, requested logs among them': 'log',
  'install codes': 'install_code',
  rollouts: 'rollout',
  actions: 'action',
  'old names of agents': { because: 'the last 20 are kept' },
  'requests for a new password': { because: 'links are erased after a day, mails when they are sent' },
  'members and open invitations': { because: 'invitations that ended are deleted with the next one' },
  sessions: { because: 'deleted when they end' },
  proofs: { because: 'deleted with the session' },
  ...Object.fromEntries(
    [
      ...[
        'channels',
        'personal channels and browsers',
        'agents',
        'workspaces',
        'versions of blueprints',
        'tags',
        'views',
      ],
      ...['authenticator apps', 'recovery codes', 'passkeys', 'accounts', 'connections with the sign-in provider'],
    ].map((adds) => [adds, { because: 'a row that is removed is gone' }]),
  ),
  ...Object.fromEntries(
    ['choices about the first steps', 'changed rules', 'settings of alerts', 'requested updates'].map((adds) => [
      adds,
      { because: 'one row for each key' },
    ]),
  ),
}

test('every bound has a number for the rows that are over, too', () => {
  const all = [...new Set(Object.values(bounds))].filter((bound) => bound !== null)
  expect(all.filter(({ adds }) => over[adds] === undefined)).toEqual([])
  for (const { adds, limit } of all) {
    const how = over[adds]
    if (typeof how === 'string') expect(limit).toContain(`newest ${surplus[how].max.toLocaleString('en-US')}`)
  }
})

test('every bound has a row above, or needs no count', () => {
  const tried = [...rows.map(({ route }) => route), ...(Object.keys(keyed) as (keyof typeof keyed)[])]
  const known = new Set(tried.map((route) => bounds[route]))
  expect(Object.entries(bounds).filter(([, bound]) => bound !== null && !known.has(bound))).toEqual([])
  // Tests in people/audit/ show that older lines are summed up.
  expect(activityBound.limit).toContain((foldLimits.ordinary.kept + foldLimits.ordinary.slack).toLocaleString('en-US'))
  expect(activityBound.limit).toContain((foldLimits.evidence.kept + foldLimits.evidence.slack).toLocaleString('en-US'))
  expect(activityBound.limit).toContain(`${maxEvidence.toLocaleString('en-US')} of a kind in a day`)
})
