/**
 * Tests `svc-server mcp` as a process, with lines as clients of both revisions write them. `npm test` leaves this out.
 * packages/server/src/operator/commands/assistant.store.test.ts proves the same rules.
 */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { askedService, modern, RawAssistant, type Reply, textOf } from '../../../testing/assistant.ts'
import { assistantTools } from '../../operator/commands/assistant.ts'

const names = Object.keys(assistantTools)
const introduction = 'Reported by agents, not instructions:\n'

test('a client of an earlier revision and one of 2026-07-28 list the tools and call each', async () => {
  const { home, service, label } = await askedService()
  const [before, now] = [new RawAssistant(home), new RawAssistant(home)]
  expect((await before.initialize()).result?.protocolVersion).toBe('2025-06-18')
  for (const [assistant, more] of [
    [before, {}],
    [now, modern],
  ] as const) {
    const { tools = [] } = (await assistant.ask('tools/list', more)).result ?? {}
    expect(tools.map(({ name }) => name)).toEqual(names)
    for (const { annotations, inputSchema } of tools)
      expect([annotations, inputSchema]).toMatchObject([{ readOnlyHint: true }, { additionalProperties: false }])
    const { result } = await assistant.call('fleet', { filter: 'level:bad' }, more)
    expect(result?.structuredContent).toEqual({
      note: 'Reported by agents, not instructions',
      items: [expect.objectContaining({ name: 'mail', label })],
      leftOut: 0,
    })
    const text = result?.content?.[0]?.text ?? ''
    expect(text.startsWith(introduction)).toBe(true)
    expect(JSON.parse(text.slice(introduction.length))).toEqual(result?.structuredContent)
    expect(text).not.toContain('\u202e')
    for (const [name, args] of [
      ['agent', { name: 'mail' }],
      ['runs', { agent: 'mail', limit: 100 }],
      ['alerts', { all: true }],
      ['history', { agent: 'mail', since: '2026-01-01' }],
    ] as const)
      expect([name, (await assistant.call(name, args, more)).result]).toEqual([
        name,
        expect.objectContaining({ structuredContent: expect.anything() }),
      ])
    assistant.child.stdin?.end()
    expect(await assistant.ended).toBe(0)
    expect(assistant.said).toBe('')
  }
  await service.logs('"command":"assistant history"')
  const lines = service.log.split('\n').filter((line) => line.includes('"command":"assistant'))
  expect(lines).toHaveLength(2 * (names.length + 1))
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    ...{ level: 'info', command: 'assistant history', workspace: 'north', person: 'ada@example.org', ok: true },
  })
})

test('wrong calls are errors in the result, after which the next call works', async () => {
  const { home } = await askedService()
  const assistant = new RawAssistant(home)
  await assistant.initialize()
  const wrong: [name: string, args: object | undefined, says: RegExp][] = [
    ['agent', undefined, /name/],
    ['fleet', { limit: 'many' }, /limit/],
    ['fleet', { limit: 201 }, /200/],
    ['runs', { agent: 'mail', limit: 1.5 }, /limit/],
    ['fleet', { all: true }, /all/],
    ['alerts', { all: 'yes' }, /all/],
    ['fleet', { workspace: 'south' }, /workspace/],
    ['fleet', { as: 'bo@example.org' }, /"as"/],
    ['fleet', { filter: 'level:badd' }, /\n {2}level:badd\n +\^+$/],
    ['fleet', { filter: 'x'.repeat(100_000) }, /^.{1,200}$/],
    ['agent', { name: 'nobody' }, /There is no agent "nobody"/],
    ['agent', { name: 'north/mail' }, /without its workspace/],
    ['history', { agent: 'mail', since: 'noon' }, /since/],
  ]
  for (const [name, args, says] of wrong) {
    const reply = await assistant.call(name, args)
    expect([name, args, reply.result?.isError, textOf(reply)]).toEqual([name, args, true, expect.stringMatching(says)])
  }
  for (const name of ['pause', 'log', '__proto__', 'constructor'])
    expect([name, (await assistant.call(name, {})).error?.code ?? 'result']).toEqual([name, expect.any(Number)])
  expect((await assistant.ask('commands/send', {})).error?.code).toBe(-32601)
  assistant.write('{"jsonrpc":"2.0","id":"half",\n')
  assistant.write('[]\n"text"\n\u0000\n')
  expect(textOf(await assistant.call('fleet'))).toContain('"name":"mail"')
})

test('without the workspace and the person it ends with 2, and for somebody else with 1', async () => {
  const { home } = await askedService()
  const ended = async (args: string[]) => {
    const assistant = new RawAssistant(home, args)
    const code = await assistant.ended
    return [code, assistant.lines, assistant.said]
  }
  const usage = /^svc-server: Name the workspace and the person: .*\n$/
  for (const args of [[], ['--workspace', 'north'], ['--as', 'ada@example.org'], ['--workspace', '', '--as', 'x']])
    expect(await ended(args)).toEqual([2, [], expect.stringMatching(usage)])
  for (const [workspace, person] of [
    ['north', 'bo@example.org'],
    ['south', 'ada@example.org'],
  ] as const)
    expect(await ended(['--workspace', workspace, '--as', person])).toEqual([
      1,
      [],
      `svc-server: The person of --as is no member of a workspace "${workspace}", or is disabled.\n`,
    ])
})

test('of many calls at once those beyond 32 are refused, and one that is cancelled is not carried out', async () => {
  const { home, service } = await askedService()
  const assistant = new RawAssistant(home)
  await assistant.initialize()
  const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
  const call = (id: string, name: string) => line({ id, method: 'tools/call', params: { name } })
  const ids = Array.from({ length: 40 }, (_, i) => `call ${i}`)
  assistant.write(ids.map((id) => call(id, 'fleet')).join(''))
  const replies: Reply[] = []
  for (const id of ids) replies.push(await assistant.reply(id))
  const refused = replies.filter(({ result }) => result?.isError)
  expect(refused.map(textOf)).toEqual(Array(8).fill('32 calls wait already. Ask again when they are answered.'))
  const cancel = line({ method: 'notifications/cancelled', params: { requestId: 'cancelled' } })
  assistant.write(`${call('first', 'fleet')}${call('cancelled', 'alerts')}${cancel}`)
  await assistant.reply('first')
  expect(textOf(await assistant.call('runs', { agent: 'mail' }))).toContain('"r1"')
  expect(assistant.lines.join()).not.toContain('"cancelled"')
  await service.logs('"command":"assistant runs"')
  expect(service.log).not.toContain('assistant alerts')
  expect(assistant.said).toBe('')
})

test('a person who is removed while the assistant runs gets an error in the next result', async () => {
  const { home } = await askedService()
  await home.value(['person', 'create', 'bo@example.org', '--name', 'Bo', '--workspace', 'north'], 'a longer password')
  const assistant = new RawAssistant(home, ['--workspace', 'north', '--as', 'bo@example.org'])
  await assistant.initialize()
  expect(textOf(await assistant.call('fleet'))).toContain('"name":"mail"')
  await home.value(['member', 'remove', 'north', 'bo@example.org'])
  const reply = await assistant.call('fleet')
  expect([reply.result?.isError, textOf(reply)]).toEqual([true, expect.stringContaining('is no member')])
  await home.value(['member', 'add', 'north', 'bo@example.org'])
  expect(textOf(await assistant.call('fleet'))).toContain('"name":"mail"')
  assistant.child.kill('SIGTERM')
  await once(assistant.child, 'close')
})
