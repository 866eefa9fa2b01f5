/**
 * A report of about 3 KB, such as a working agent sends. Benchmarks use it, and the tests with faulty reports start
 * from it.
 */
import type { Report } from '../src/index.ts'

const now = 1_790_000_000

export const sampleReport: Report = {
  protocol: 1,
  agent: { version: '1.4.0', host: 'build-07' },
  state: { level: 'ok', label: 'Working', detail: 'Sorting the mail of this morning, 14 of 51 done' },
  health: [
    { name: 'Mailbox', level: 'ok', detail: 'read 20 s ago' },
    { name: 'Disk', level: 'warn', detail: '81 % used on /var' },
    { name: 'Process', level: 'ok', detail: 'running for 3 h' },
  ],
  active: [
    {
      kind: 'triage',
      model: 'large-2',
      started: now - 90,
      steps: 14,
      detail: 'Reading the attachments',
      subjects: [{ title: 'Invoice 2231', url: 'https://mail.example/m/2231', share: 0.5 }],
      log: 'work',
    },
  ],
  gauges: [
    { name: 'Tokens today', used: 0.42, mark: 0.8, detail: '420 k of 1 M' },
    { name: 'Week', used: 0.17, mark: 0.6 },
  ],
  runs: Array.from({ length: 6 }, (_, i) => ({
    id: `run-${now - i * 1800}`,
    started: now - i * 1800,
    ended: now - i * 1800 + 240,
    kind: 'triage',
    status: i === 3 ? 'failed' : 'done',
    cost_usd: 0.0321 + i / 100,
    output_tokens: 2200 + i,
    models: { 'large-2': 0.03, 'small-2': 0.0021 + i / 100 },
    subjects: [{ title: `Mail ${i} about the meeting`, url: `https://mail.example/m/${i}`, share: 1 }],
    log: `run-${i}`,
  })),
  panels: [
    {
      type: 'list',
      title: 'Drafts that wait',
      items: [
        { title: 'Re: Meeting', url: 'https://mail.example/d/1', meta: '2 h', badge: 'draft', level: 'info' },
        {
          title: 'Re: Rechnung – Größe 🎉',
          url: 'https://mail.example/d/2',
          meta: '3 h',
          badge: 'draft',
          level: 'warn',
        },
      ],
    },
    { type: 'kv', title: 'Today', items: [{ label: 'Sorted', value: '51' }] },
  ],
  settings: {
    schema: [
      {
        key: 'every',
        label: 'Minutes between runs',
        type: 'number',
        min: 1,
        max: 120,
        help: 'How often',
        group: 'Schedule',
      },
      {
        key: 'tone',
        label: 'Tone',
        type: 'select',
        options: [
          { value: 'kind', label: 'Kind' },
          { value: 'brief', label: 'Brief' },
        ],
      },
    ],
    values: { every: 10, tone: null },
  },
  controls: ['pause', 'resume', 'run_now'],
  acks: [{ id: 'c-1', ok: true, message: 'paused' }],
}
