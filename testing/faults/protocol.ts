/** Faults of `packages/protocol`: reading reports, answers and settings, and masking logs. */
import type { Fault } from './fault.ts'

const at = (file: string) => `packages/protocol/src/${file}`

export const protocolFaults: readonly Fault[] = [
  {
    name: 'report: two runs of one id are both kept',
    harm: 'A run that is reported twice is listed twice, and its cost is added twice.',
    file: at('report.ts'),
    old: 'all.length < 2 || new Set(',
    new: 'all.length < 3 || new Set(',
    tests: [at('report.test.ts')],
  },
  {
    name: 'report: of a list in two pieces, the second piece is lost',
    harm: 'The page shows only the first half of what an agent with a large report says.',
    file: at('json-pieces.ts'),
    old: 'open?.push(entry)',
    new: 'entry === open && open?.push(entry)',
    tests: [at('json-pieces.test.ts')],
  },
  {
    name: 'runs: the start of a run is taken for milliseconds',
    harm: 'A run with a date in the far future stays on top of the list for ever, and newer ones are dropped.',
    file: at('runs.ts'),
    old: 'started * 1000 <= now + maxAheadMs',
    new: 'started <= now + maxAheadMs',
    tests: [at('runs.test.ts')],
  },
  {
    name: 'masking: a short secret is masked before the longer one that holds it',
    harm: 'The rest of the longer secret stands in the log that leaves the machine.',
    file: at('tokens.ts'),
    old: 'sort((a, b) => b.length - a.length)',
    new: 'sort((a, b) => a.length - b.length)',
    tests: [at('tokens.test.ts')],
  },
  {
    name: 'masking: tokens of bots are not recognised',
    harm: "A log that an agent sends shows the bot's token to every admin who reads it.",
    file: at('tokens.ts'),
    old: '/svc_(?:agt|inst|bot)_',
    new: '/svc_(?:agt|inst)_',
    tests: [at('tokens.test.ts')],
  },
  {
    name: 'terminal: isolates of text direction pass',
    harm: 'A line that an agent wrote turns around what stands beside it in the terminal of the operator.',
    file: at('terminal.ts'),
    old: '\\u202a-\\u202e\\u2066-\\u2069\\u2028\\u2029]/g',
    new: '\\u202a-\\u202e\\u2028\\u2029]/g',
    tests: [at('terminal.test.ts')],
  },
  {
    name: 'links: a user name is allowed before the host',
    harm: 'A link reads https://svc.example.com@evil.example/ on the page and leads to the other host.',
    file: at('link.ts'),
    old: '[^/?#@$',
    new: '[^/?#$',
    tests: [at('link.test.ts')],
  },
  {
    name: 'acks: an ack answers a request for a log',
    harm: 'The page says that the log has come, and there is none to read.',
    file: at('commands.ts'),
    old: "ack.id === id && !(ack.ok && type === 'log')",
    new: 'ack.id === id',
    tests: [at('commands.test.ts')],
  },
  {
    name: 'levels of silence: an agent counts as offline too early',
    harm: 'Every agent that misses one report is shown as offline.',
    file: at('answer.ts'),
    old: 'Math.max(3 * interval',
    new: 'Math.min(3 * interval',
    tests: [at('answer.test.ts')],
  },
  {
    name: 'versions: a release ranks below its own pre-release',
    harm: 'People are told that 2.0.0 is older than 2.0.0-rc.1, and the service keeps serving the candidate.',
    file: at('versions.ts'),
    old: 'if (a === undefined) return 1',
    new: 'if (a === undefined) return -1',
    tests: [at('versions.test.ts')],
  },
]
