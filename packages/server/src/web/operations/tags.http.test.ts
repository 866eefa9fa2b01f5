/** Tests the route that changes the tags of agents: its refusals, and its answer for as many agents as it takes. */
import { type Fleet, maxNamedAgents, type TaggedAgent } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { streamOf } from '../../../testing/page/stream.ts'
import { newId } from '../../platform/ids.ts'

const w = '/api/web/w/north'

async function newSetup() {
  const service = await serve()
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const tags = (body: unknown) =>
    ann.send<TaggedAgent[] & { error?: { code: string; message: string } }>('POST', `${w}/tags`, body)
  const total = async (q: string) => (await ann.get<Fleet>(`${w}/fleet?${new URLSearchParams({ q })}`)).body.total
  return { service, north, ann, tags, total }
}

const twenty = Array.from({ length: 20 }, (_, i) => `t${i}`)

test('a wrong request is refused with the reason, and changes nothing anywhere', async () => {
  const { service, north, tags, total } = await newSetup()
  for (const name of ['mail-1', 'mail-2', 'full']) await service.agent(north, name)
  await service.agent(await service.workspace('east'), 'theirs')
  expect((await tags({ agents: ['full'], add: twenty })).status).toBe(200)
  for (const [body, status, code, message] of [
    [{ agents: ['mail-1'], add: ['EU'] }, 400, 'tag_invalid', /^A tag has 1 to 40 of the characters a-z.* got "EU"\.$/],
    [{ agents: ['mail-1'], add: ['eu', ''] }, 400, 'tag_invalid', /got ""\.$/],
    [{ agents: ['mail-1'], add: ['eu'], remove: ['*'] }, 400, 'tag_invalid', /got "\*"\.$/],
    [{ agents: ['mail-1'] }, 400, 'tag_invalid', /at least one tag/],
    [{ agents: ['mail-1'], add: ['eu'], remove: ['eu'] }, 400, 'tag_invalid', /"eu" cannot be added and removed/],
    [{ agents: [], add: ['eu'] }, 400, 'body_invalid', /at least one agent/],
    [{ agents: Array(maxNamedAgents + 1).fill('x'), add: ['eu'] }, 400, 'body_invalid', /at most 10000: got 10001/],
    [{ agents: ['mail-1', 'nobody'], add: ['eu'] }, 404, 'agent_unknown', /"nobody" in the workspace\. Nothing was/],
    [{ agents: ['mail-1', 'theirs'], add: ['eu'] }, 404, 'agent_unknown', /"theirs"/],
    [{ agents: ['mail-1', 'full'], add: ['eu'] }, 409, 'tags_too_many', /^The agent full would have 21 tags/],
    [{ agents: ['mail-1'], add: [...twenty, 'eu'] }, 409, 'tags_too_many', /^The agent mail-1 would have 21 tags/],
  ] as const) {
    const answer = await tags(body)
    expect([answer.status, answer.body.error]).toEqual([status, { code, message: expect.stringMatching(message) }])
  }
  expect([await total('tag:eu'), await total('tag:*')]).toEqual([0, 1])
  const lines = await service.store.db.selectFrom('audit').select('id').where('action', '=', 'agent.tagged').execute()
  expect(lines).toHaveLength(1)
})

test('a change is in the next answer and on open pages, without a reading of the whole fleet', async () => {
  const { service, north, ann, tags, total } = await newSetup()
  for (const name of ['mail-1', 'mail-2']) await service.agent(north, name)
  const page = await streamOf(`${service.origin}${w}/events`, ann.cookie)
  expect(await total('tag:eu')).toBe(0)
  const answer = await tags({ agents: ['mail-2'], add: ['eu'] })
  expect(answer).toMatchObject({ status: 200, body: [{ name: 'mail-2', tags: ['eu'] }] })
  expect(await total('tag:eu')).toBe(1)
  const frame = await page.frame(({ rows }) => rows.length > 0)
  expect(frame).toMatchObject({ rows: [{ name: 'mail-2', tags: ['eu'] }], changed: ['mail-2'], list: false })
})

test('10,000 agents with the longest names get tags in one request', async () => {
  const { service, north, tags, total } = await newSetup()
  const names = Array.from({ length: maxNamedAgents }, (_, i) => `a${String(i).padStart(62, '0')}`)
  const rows = names.map((name) => ({
    ...{ id: newId(service.now()), workspace_id: north.id, name, token_hash: name },
    ...{ created_at: 1, created_by: null, blueprint: null },
  }))
  for (let i = 0; i < rows.length; i += 1000)
    await service.store.db
      .insertInto('agent')
      .values(rows.slice(i, i + 1000))
      .execute()
  const { status, body } = await tags({ agents: names, add: ['eu', 'prod'] })
  expect([status, body.length, body[0]]).toEqual([200, names.length, { name: names[0], tags: ['eu', 'prod'] }])
  expect(await total('tag:eu tag:prod')).toBe(names.length)
  expect((await tags({ agents: names, add: ['us'], remove: ['eu'] })).body.at(-1)?.tags).toEqual(['prod', 'us'])
  expect([await total('tag:eu'), await total('tag:us')]).toEqual([0, names.length])
})
