/** Reports for the browser test: one that has every part, and one with texts that try to act as markup. */

const hour = 3600

export const wholeReport = (now: number) => ({
  agent: { version: '1.4.0', host: 'build-07' },
  state: { level: 'warn', label: 'Working slowly', detail: 'The mailbox answers late.' },
  health: [
    { name: 'Mailbox', level: 'warn', detail: 'took 9 s' },
    { name: 'Disk', level: 'ok' },
  ],
  active: [
    {
      kind: 'triage',
      model: 'large-2',
      started: now - 95,
      steps: 14,
      detail: 'Reading the attachments',
      subjects: [{ title: 'Invoice 2231', url: 'https://mail.example/m/2231', share: 0.5 }],
      log: 'work',
    },
  ],
  gauges: [
    { name: 'Tokens today', used: 0.91, mark: 0.8, detail: '910 k of 1 M' },
    { name: 'Week', used: 0.17 },
  ],
  runs: Array.from({ length: 60 }, (_, i) => ({
    id: `run-${i}`,
    started: now - (i + 1) * hour,
    ended: now - (i + 1) * hour + 190,
    kind: 'triage',
    status: i % 10 === 3 ? 'failed' : 'done',
    cost_usd: 0.25,
    output_tokens: 2200 + i,
    models: i % 2 === 0 ? { 'large-2': 0.2, 'small-2': 0.05 } : { 'small-2': 0.25 },
    subjects: [
      { title: `Mail ${i}`, url: `https://mail.example/m/${i}`, share: 0.75 },
      { title: 'Calendar', share: 0.25 },
    ],
    log: 'work',
  })),
  panels: [
    {
      type: 'list',
      title: 'Drafts that wait',
      items: [{ title: 'Re: Meeting', url: 'https://mail.example/d/1', meta: '2 h', badge: 'draft', level: 'bad' }],
    },
    {
      type: 'table',
      title: 'Folders',
      columns: ['Folder', 'Mails'],
      rows: [
        [{ text: 'Inbox', url: 'https://mail.example/inbox' }, '51'],
        ['Archive', '4,210'],
      ],
    },
    { type: 'kv', title: 'Today', items: [{ label: 'Sorted', value: '51' }] },
    { type: 'text', title: 'Last words', lines: ['first line', '  second line'] },
  ],
  settings: {
    schema: [
      {
        key: 'every',
        label: 'Minutes between runs',
        type: 'number',
        min: 1,
        max: 120,
        help: 'How often it looks.',
        group: 'Schedule',
      },
      { key: 'budget', label: 'Share of the budget', type: 'percent', group: 'Schedule' },
      { key: 'quiet', label: 'Quiet at night', type: 'bool', group: 'Schedule' },
      { key: 'until', label: 'Not before', type: 'datetime' },
      { key: 'note', label: 'Instructions', type: 'text' },
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
    values: { every: 10, budget: 50, quiet: true, until: 1_790_000_000, note: 'Be brief.', tone: null },
  },
  controls: ['pause', 'resume', 'run_now'],
  account: { org: 'Example GmbH', plan: 'Team', email: 'agent@example.org' },
})

/**
 * A hostile text for every field of a report: markup that would run, a link that would run, and a text that would
 * reverse the direction of its line.
 */
export const markup = '<img src=x onerror="window.taken=1"><b>bold</b>'
export const reversedName = 'safe\u202Egnp.exe'
const url = 'javascript:window.taken=1'

export const hostileReport = (now: number) => ({
  agent: { version: markup, host: reversedName },
  state: { level: 'ok', label: markup, detail: `${reversedName} ${markup}` },
  health: [{ name: markup, level: '<b>', detail: reversedName }],
  active: [
    {
      kind: markup,
      model: reversedName,
      started: now - 5,
      detail: markup,
      subjects: [{ title: reversedName, url }],
      log: markup,
    },
  ],
  gauges: [{ name: markup, used: 0.5, mark: 0.8, detail: reversedName }],
  runs: [
    {
      id: markup,
      started: now - 60,
      kind: markup,
      status: '<b>done</b>',
      models: { [markup]: 1, __proto__: 2 },
      cost_usd: 1,
      subjects: [
        { title: markup, url },
        { title: 'user info', url: 'https://mail.example@evil.example/' },
      ],
      log: markup,
    },
  ],
  panels: [
    { type: 'list', title: markup, items: [{ title: markup, url, meta: reversedName, badge: markup }] },
    { type: 'table', title: reversedName, columns: [markup], rows: [[{ text: markup, url }]] },
    { type: 'kv', title: markup, items: [{ label: markup, value: reversedName }] },
    { type: 'text', title: markup, lines: [markup, reversedName] },
  ],
  settings: {
    schema: [
      { key: '__proto__', label: markup, type: 'text', help: markup, group: markup },
      { key: markup, type: 'select', options: [{ value: markup, label: reversedName }] },
    ],
    values: { [markup]: markup },
  },
  controls: ['pause', markup],
  account: { org: markup, plan: reversedName, email: markup },
})
