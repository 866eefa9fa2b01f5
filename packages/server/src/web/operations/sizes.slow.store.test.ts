/**
 * Asks every operation of a large workspace with the largest input, and measures its answers. `npm test` leaves this
 * out. packages/server/src/web/routing/bounded.test.ts proves the same rules.
 */
import { type InputForm, type Operation, operations } from '@svc/api'
import { maxTags } from '@svc/api/filter'
import { leftOffHeader } from '@svc/api/left-off'
import { maxStrips } from '@svc/api/words'
import { limits } from '@svc/protocol'
import { expect, test } from 'vitest'
import { inputs, requestOf } from '../../../testing/every-text.ts'
import { type Service, serve } from '../../../testing/page/service.ts'
import { newId } from '../../platform/ids.ts'
import { hashToken } from '../../platform/tokens.ts'
import { maxListBytes } from '../routing/bounded.ts'

const w = '/api/web/w/north'
const agents = 10_000
const names = Array.from({ length: agents }, (_, i) => `${i}-`.padEnd(limits.agentName, 'n'))
const rowsAtOnce = 1000

/** Fills a workspace with agents that have the longest names, tags and messages, and an action and a rollout of all. */
async function fill({ store, now }: Service, workspace: { id: string }) {
  const { db } = store
  const at = now()
  const [action, rollout, alert] = [newId(at), newId(at), newId(at)]
  const ids = names.map(() => newId(at))
  const by = { created_by: null, created_by_name: 'n'.repeat(100) }
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('action')
      .values({
        ...{
          id: action,
          workspace_id: workspace.id,
          type: 'set',
          payload: '{"every":5}',
          filter: null,
          retry_of: null,
        },
        ...{ state: 'queued', created_at: at, counts: null, ...by },
      })
      .execute()
    await trx
      .insertInto('rollout')
      .values({
        ...{ id: rollout, workspace_id: workspace.id, kind: 'runtime', blueprint: null, version: '1.0.0', why: null },
        ...{ waves: '["100%"]', by_hand: 0, watch_seconds: 600, state: 'done', wave: 1, wave_kept_at: null },
        ...{ created_at: at, changed_at: at, continued_by: null, continued_by_name: null, ...by },
      })
      .execute()
    for (let from = 0; from < agents; from += rowsAtOnce) {
      const piece = ids.slice(from, from + rowsAtOnce).map((id, i) => ({ id, name: names[from + i] ?? '' }))
      await trx
        .insertInto('agent')
        .values(
          piece.map(({ id, name }) => ({
            ...{ id, name, workspace_id: workspace.id, token_hash: hashToken(id), created_at: at },
            ...{ created_by: null, blueprint: null },
          })),
        )
        .execute()
      await trx
        .insertInto('action_agent')
        .values(
          piece.map(({ id, name }) => ({
            ...({ action_id: action, agent_id: id, name, command_id: null, outcome: 'refused', shared: 0 } as const),
            message: '漢'.repeat(300),
          })),
        )
        .execute()
      await trx
        .insertInto('rollout_agent')
        .values(
          piece.map(({ id }) => ({
            ...({ rollout_id: rollout, agent_id: id, wave: 1, state: 'failed', reason: '漢'.repeat(300) } as const),
            ...{ level_before: null, wished_at: null, worse_at: null, forgiven: 0, at, left_out_for: null },
          })),
        )
        .execute()
      for (let tag = 1; tag < maxTags; tag++)
        await trx
          .insertInto('agent_tag')
          .values(piece.map(({ id, name }) => ({ agent_id: id, tag: `${tag}-${name}`.slice(0, 40) })))
          .execute()
    }
  })
  return { action, rollout, alert }
}

/** The largest queries of the operations that refuse what they do not know. */
const queries: Readonly<Record<string, string>> = {
  'GET /w/:slug/history/fleet': `at=${new Date().toISOString()}`,
  'GET /w/:slug/history/strips': `names=${names.slice(0, maxStrips)}`,
  'GET /w/:slug/agents/:name/history/states': 'since=2026-01-01',
  'GET /w/:slug/agents/:name/history/changes': 'since=2026-01-01&limit=1000',
  'GET /w/:slug/agents/:name/history/trend': 'days=400',
  'GET /w/:slug/history/cost': 'per=agent',
  'GET /w/:slug/history/cost/export': 'per=agent',
  'GET /w/:slug/cost': 'per=agent',
}

/** The input with as many agents as the operation takes. The first agent keeps its name. */
function largest({ route, input }: Operation, given: object): object {
  if (route === 'PATCH /w/:slug/agents/:name') return { name: names[0] }
  const form: InputForm | undefined = input?.form
  if (form?.is !== 'object' || form.fields.agents?.is !== 'list') return given
  return { ...given, agents: names.slice(0, form.fields.agents.max) }
}

test('no answer of a large workspace is larger than 1 MB without a reason, and each says what it leaves off', async () => {
  const service = await serve()
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const filled = await fill(service, north)
  const ids: Readonly<Record<string, string>> = { actions: filled.action, rollouts: filled.rollout }
  const leftOff: Record<string, number> = {}
  const unread: string[] = []
  const asked = operations.filter(({ route, manual }) => !manual && (route.startsWith('GET /w/') || route in inputs))
  for (const operation of asked) {
    const { route, large } = operation
    const { method, path, input } = requestOf(operation, filled.alert)
    const address = path
      .replace(/\/(actions|rollouts)\/:id/, (_, of: string) => `/${of}/${ids[of]}`)
      .replace(/agents\/(:name|one)/, `agents/${names[0]}`)
      .replace(/:\w+/, 'one')
    const answer = await (method === 'GET'
      ? ann.get(`${address}?${queries[route] ?? 'limit=10000&all=true'}`)
      : ann.send(method, address, largest(operation, input)))
    expect([route, answer.status < 500]).toEqual([route, true])
    // A query that is refused would show nothing.
    if (method === 'GET' && answer.status === 400) unread.push(`${route}: ${answer.text}`)
    const isBounded = Buffer.byteLength(answer.text) <= maxListBytes
    expect([route, isBounded || typeof large === 'object']).toEqual([route, true])
    const left = Number(answer.headers.get(leftOffHeader) ?? 0)
    if (left > 0) leftOff[route] = left
    if (large === 'refused') expect([route, answer.status]).toEqual([route, 413])
  }
  expect(unread).toEqual([])
  const some = expect.toSatisfy((left: number) => left > 0 && left < agents) as unknown
  expect(leftOff).toMatchObject({ 'GET /w/:slug/actions/:id': some, 'GET /w/:slug/rollouts/:id': some })
  const refused = await ann.get<{ agents: object[]; leftOff: object }>(`${w}/actions/${filled.action}?state=applied`)
  expect([refused.body.agents, refused.headers.get(leftOffHeader)]).toEqual([[], null])
  const unchanged = await ann.send<object[]>('POST', `${w}/tags`, { agents: names, remove: ['none'] })
  expect(unchanged.body.length + Number(unchanged.headers.get(leftOffHeader))).toBe(agents)
  const piece = { agents: names.slice(0, 1000) }
  const { status, body } = await ann.send<object[]>('POST', `${w}/tags/preview`, piece)
  expect([status, body.length]).toEqual([200, 1000])
  expect(service.errors).toEqual([])
}, 300_000)
