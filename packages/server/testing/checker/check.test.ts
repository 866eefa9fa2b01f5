import { expect, test } from 'vitest'
import { faultsOf } from './check.ts'
import type { Line, NamedInstall, Of } from './lines.ts'

const send = (report: string, more: Partial<Of<'send'>> = {}): Line => ({
  kind: 'send',
  at: 10,
  report,
  agent: 'a',
  token: 't1',
  acks: [],
  run: { id: report, place: Number(report.slice(1)) },
  ...more,
})
const answer = (report: string, more: Partial<Of<'answer'>> = {}): Line => ({
  kind: 'answer',
  at: 20,
  report,
  status: 200,
  retryAfter: false,
  commands: [],
  ...more,
})
const stored = { id: 'c', agent: 'a', state: 'delivered', createdAt: 0, deliveredAt: 15 }
const runs = (...ids: string[]) => ids.map((id) => ({ id, place: Number(id.slice(1)) }))
const agent = { id: 'a', workspace: 'w', name: 'mail', shown: [] as string[], runs: runs('r1') }
const view = (more: Partial<Of<'view'>> = {}): Line => ({
  kind: 'view',
  at: 100,
  commands: [],
  agents: [agent],
  codes: [],
  bots: [],
  ...more,
})
const wish = (version: string | null, more: Partial<Of<'wish'>> = {}): Line =>
  ({ kind: 'wish', of: 'blueprint', at: 0, done: 1, agent: 'a', version, ...more }) as Line
const press = (version: string | null, more: Partial<Of<'wish'>> = {}): Line =>
  wish(version, { of: 'runtime', ...more })
const serve = (version: string, more: Partial<Of<'serve'>> = {}): Line => ({
  kind: 'serve',
  at: 0,
  done: 1,
  version,
  ...more,
})
const withRuntime = { runtime: { version: '1.0.0' } }
const names: NamedInstall = { blueprint: 'b', version: '1.0.0', agentName: 'mail', sha256: 'ab' }
const redeem = (more: Partial<Of<'redeem'>> = {}): Of<'redeem'> => ({
  kind: 'redeem',
  at: 30,
  code: 'k',
  status: 200,
  body: '{}',
  names,
  ...more,
})
const used = { code: 'k', used: true, agents: 1, tokens: 2, bindings: 2 }

const sound: Line[] = [
  { kind: 'press', at: 5, command: 'c', agent: 'a' },
  wish('1.0.0'),
  press('2.0.0'),
  serve('2.0.0'),
  send('r1', { runtime: { version: '1.0.0' } }),
  answer('r1', { commands: ['c'], desired: '1.0.0', served: '2.0.0', runtime: '2.0.0' }),
  { kind: 'apply', at: 21, agent: 'a', command: 'c' },
  { kind: 'outage', at: 24, until: 26 },
  send('r2', { at: 25 }),
  answer('r2', { at: 26, status: 503, retryAfter: true }),
  send('r3', { at: 31, acks: [{ id: 'c', ok: true }] }),
  answer('r3', { at: 32 }),
  { kind: 'void', at: 40, agent: 'a', token: 't1' },
  send('r4', { at: 41 }),
  answer('r4', { at: 42, status: 401 }),
  { kind: 'issue', at: 29, code: 'k', names },
  redeem(),
  redeem({ status: 404, body: 'no', names: undefined }),
  view({
    commands: [{ ...stored, state: 'applied' }],
    agents: [{ ...agent, shown: ['r3', 'r3'], runs: runs('r1', 'r3') }],
    codes: [used],
  }),
]

test('a wish that was requested again after its end is valid', () => {
  const ended = send('r1', { runtime: { version: '1.0.0', ends: 'failed' } })
  const again = [send('r2', { at: 30, ...withRuntime }), answer('r2', { at: 31, served: '2.0.0', runtime: '2.0.0' })]
  const lines = [serve('2.0.0'), press('2.0.0'), ended, answer('r1', { served: '2.0.0' })]
  expect(faultsOf([...lines, press('2.0.0', { at: 22, done: 23 }), ...again])).toEqual([])
  expect(faultsOf([...lines, press(null, { at: 22, done: 23 }), ...again])).toHaveLength(2)
})

test('a sound history has no fault', () => {
  expect(faultsOf(sound)).toEqual([])
})

const bots = Array.from({ length: 11 }, (_, i) => ({ workspace: 'w', id: `bot ${i}` }))
const many = Array.from({ length: 2001 }, (_, i) => ({ id: `r${i + 1}`, place: i + 1 }))
test.each<[string, string, Line[]]>([
  ['I1', 'in two answers', [answer('r1', { commands: ['c', 'c'] }), view({ commands: [stored] })]],
  ['lost', 'was pressed', [{ kind: 'press', at: 1, command: 'd', agent: 'a' }, view({ commands: [stored] })]],
  [
    'I2',
    'from delivered to queued',
    [view({ commands: [stored] }), view({ commands: [{ ...stored, state: 'queued' }] })],
  ],
  [
    'I3',
    'the store does not know',
    [answer('r1', { commands: ['c'] }), view({ commands: [{ ...stored, deliveredAt: null }] })],
  ],
  ['I4', 'c by a twice', [1, 2].map((at) => ({ kind: 'apply', at, agent: 'a', command: 'c' }))],
  ['I5', 'its agent never said so', [view({ commands: [{ ...stored, state: 'applied' }] })]],
  [
    'I5',
    'is shown failed',
    [send('r1', { acks: [{ id: 'c', ok: true }] }), answer('r1'), view({ commands: [{ ...stored, state: 'failed' }] })],
  ],
  ['I6', 'after its time', [view({ commands: [{ ...stored, deliveredAt: 600_000 }] })]],
  [
    'I6',
    'another agent',
    [send('r1', { agent: 'b' }), answer('r1', { commands: ['c'] }), view({ commands: [stored] })],
  ],
  ['I7', 'token that was void', [{ kind: 'void', at: 5, agent: 'a', token: 't1' }, send('r1'), answer('r1'), view()]],
  ['I7', 'token that was void', [{ kind: 'void', at: 5, agent: 'a', token: 't1' }, send('r1'), view()]],
  ['I8', '2001 runs', [view({ agents: [{ ...agent, shown: [], runs: many }] })]],
  [
    'I8',
    'an older one is kept',
    [send('r2001'), answer('r2001'), view({ agents: [{ ...agent, shown: [], runs: many.slice(0, 2000) }] })],
  ],
  ['lost', 'not stored', [send('r9'), answer('r9'), view({ agents: [{ ...agent, shown: [] }] })]],
  ['I9', 'shows a mix', [send('r1'), send('r2'), view({ agents: [{ ...agent, shown: ['r1', 'r2'] }] })]],
  [
    'I9',
    'confirmed after it',
    [
      send('r1'),
      answer('r1'),
      send('r2', { at: 30 }),
      answer('r2', { at: 31 }),
      view({ agents: [{ ...agent, shown: ['r1'], runs: runs('r1', 'r2') }] }),
    ],
  ],
  ['I10', 'while the database was well', [answer('r1', { status: 503, retryAfter: true })]],
  ['I10', 'without Retry-After', [{ kind: 'outage', at: 0, until: 50 }, answer('r1', { status: 503 })]],
  [
    'I10',
    'with commands',
    [
      { kind: 'outage', at: 0, until: 50 },
      answer('r1', { status: 503, retryAfter: true, commands: ['c'] }),
      view({ commands: [stored] }),
    ],
  ],
  ['I10', 'got 302', [answer('r1', { status: 302 })]],
  ['I7', 'was deleted and is there', [{ kind: 'delete', at: 1, done: 2, agent: 'a', name: 'mail' }, view()]],
  [
    'I7',
    'is of an agent that was deleted',
    [{ kind: 'delete', at: 1, done: 2, agent: 'a', name: 'mail' }, view({ agents: [], commands: [stored] })],
  ],
  [
    'I7',
    'of an agent that was deleted',
    [{ kind: 'delete', at: 1, done: 2, agent: 'a', name: 'mail' }, send('r1'), answer('r1')],
  ],
  ['I11', 'which nobody wished', [wish('1.0.0'), send('r1'), answer('r1', { desired: '3.0.0' }), view()]],
  [
    'I11',
    'which nobody wished',
    [wish('1.0.0'), wish(null, { at: 3, done: 4 }), send('r1'), answer('r1', { desired: '1.0.0' }), view()],
  ],
  [
    'I11',
    'which nobody wished',
    [
      serve('2.0.0'),
      press('2.0.0'),
      press(null, { at: 3, done: 4 }),
      send('r1', withRuntime),
      answer('r1', { served: '2.0.0', runtime: '2.0.0' }),
    ],
  ],
  [
    'I11',
    'which was not served then',
    [serve('2.0.0'), serve('2.1.0', { at: 3, done: 4 }), send('r1', withRuntime), answer('r1', { served: '2.0.0' })],
  ],
  [
    'I11',
    'while 2.1.0 was served',
    [serve('2.1.0'), press('2.0.0'), send('r1', withRuntime), answer('r1', { served: '2.1.0', runtime: '2.0.0' })],
  ],
  ['2.7', 'must not be told of', [serve('2.0.0'), send('r1'), answer('r1', { served: '2.0.0' })]],
  ...(['ok', 'rolled_back', 'failed'] as const).map((ends): [string, string, Line[]] => [
    '3.4',
    'had ended',
    [
      serve('2.0.0'),
      press('2.0.0'),
      send('r1', { runtime: { version: ends === 'ok' ? '2.0.0' : '1.0.0', ends } }),
      answer('r1', { served: '2.0.0' }),
      send('r2', { at: 30, ...withRuntime }),
      answer('r2', { at: 31, served: '2.0.0', runtime: '2.0.0' }),
    ],
  ]),
  ['I12', 'redeemed twice', [redeem(), redeem(), view({ codes: [used] })]],
  ['I13', 'is not used', [redeem(), view({ codes: [{ ...used, used: false, agents: 0, tokens: 0 }] })]],
  ['I13', 'used and has 1 agents and 1 tokens', [view({ codes: [{ ...used, tokens: 1 }] })]],
  ['I13', 'unused and has 1 agents', [view({ codes: [{ ...used, used: false }] })]],
  [
    'I14',
    'in 2 ways',
    [
      redeem({ status: 404, body: 'used', names: undefined }),
      redeem({ status: 404, body: 'unknown', names: undefined }),
    ],
  ],
  [
    'I14',
    'takes 10.0 or 30.0 ms',
    [
      { kind: 'issue', at: 1, code: 'k', names },
      redeem(),
      ...Array.from({ length: 80 }, (_, i) =>
        redeem({
          status: 404,
          body: 'no',
          names: undefined,
          ...(i % 2 ? { code: 'k', took: 30 } : { code: 'x', took: 10 }),
        }),
      ),
      view({ codes: [used] }),
    ],
  ],
  [
    'I13',
    'used and has 0 agents',
    [
      { kind: 'delete', at: 1, done: 2, agent: 'x', name: 'mail' },
      { kind: 'issue', at: 1, code: 'k', names },
      { kind: 'issue', at: 1, code: 'l', names },
      view({ codes: ['k', 'l'].map((code) => ({ ...used, code, agents: 0, tokens: 0 })) }),
    ],
  ],
  ['I15', 'w has 11 bots', [view({ bots })]],
  [
    'I15',
    'two agents mail',
    [view({ agents: [agent, { ...agent, id: 'b', shown: [] }].map((a) => ({ ...a, shown: [] })) })],
  ],
  ['I16', 'names something else', [{ kind: 'issue', at: 1, code: 'k', names: { ...names, sha256: 'cd' } }, redeem()]],
])('the checker detects %s: %s', (rule, says, lines) => {
  const faults = faultsOf(lines)
  expect(faults.filter((fault) => fault.startsWith(`${rule}: `) && fault.includes(says))).toHaveLength(1)
  expect(faults.filter((fault) => !fault.startsWith(`${rule}: `))).toEqual([])
})
