import { expect, test } from 'vitest'
import { anchorOf, render } from './markdown.ts'

const titles: Readonly<Record<string, string>> = { alerts: 'Alerts', operate: 'Operating <the> service' }
const titleOf = (name: string) => (Object.hasOwn(titles, name) ? titles[name] : undefined)
const bodyOf = (markdown: string) => render(`# Title\n\n${markdown}`, titleOf).html.trim()

const hostile: [what: string, markdown: string, html: string][] = [
  ['a script', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['a script in a line', 'a <script>alert(1)</script>', '<p>a &lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['an event handler', '<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['a line break with a handler', 'a<br onclick=x>b', '<p>a&lt;br onclick=x&gt;b</p>'],
  ['HTML beside a comment', '<!-- a --> <b onclick=x>', '&lt;b onclick=x&gt;'],
  ['a comment inside a comment', '<!-<!-- a -->- <script> -->', '<p>&lt;!-- &lt;script&gt; --&gt;</p>'],
  ['a comment without an end', '<!-- a\n\n<script>', '&lt;!-- a\n\n&lt;script&gt;'],
  ['a link to a script', '[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>'],
  ['a link to data', '[a](data:text/html,x)', '<p>[a](data:text/html,x)</p>'],
  ['an escaped link to a script', '[a](<java&#x73;cript:alert(1)>)', '<p>[a](&lt;javascript:alert(1)&gt;)</p>'],
  ['a link to another host', '[a](//example.org)', '<p>a</p>'],
  [
    'a link out of a quotation',
    '[a](https://x.org/"onclick="x)',
    '<p><a href="https://x.org/%22onclick=%22x" rel="noopener noreferrer">a</a></p>',
  ],
  ['a title of a link', '[a](#b "c\\" onclick=\\"x")', '<p><a href="#b">a</a></p>'],
  ['an image', '![the *parts*](https://example.org/x.png "t")', '<p>the parts</p>'],
  ['an image in a link', '[![a](b.png)](javascript:x)', '<p>[a](javascript:x)</p>'],
  ['code that looks like HTML', '`<script>`', '<p><code>&lt;script&gt;</code></p>'],
  [
    'a language of code',
    '```"><script>\n</code><script>\n```',
    '<pre tabindex="0"><code>&lt;/code&gt;&lt;script&gt;\n</code></pre>',
  ],
]
test.each(hostile)('%s does no harm', (_what, markdown, html) => {
  expect(bodyOf(markdown).replaceAll(/^\s+/g, '')).toBe(html)
})

const links: [what: string, markdown: string, html: string][] = [
  ['to a document', '[rules](alerts.md)', '<a href="/help/alerts">rules</a>'],
  ['to a section', '[rules](./alerts.md#rules)', '<a href="/help/alerts#rules">rules</a>'],
  ['to the same document', '[below](#rules)', '<a href="#rules">below</a>'],
  ['to the web', '[them](https://example.org/a)', '<a href="https://example.org/a" rel="noopener noreferrer">them</a>'],
  [
    'that is the name of a file',
    '[operate.md](operate.md)',
    '<a href="/help/operate">Operating &lt;the&gt; service</a>',
  ],
  ['to a document that is not shown', '[all](architecture.md#a)', 'all'],
  ['to a document of another folder', '[rules](decisions/alerts.md)', 'rules'],
  ['to a file of the checkout', '[`the code`](../packages/api/src/x.ts)', '<code>the code</code>'],
  ['to a folder above', '[all](../alerts.md)', 'all'],
  ['to an address of the service', '[all](/api/web/me)', 'all'],
  ['to a mailbox', '[all](mailto:a@example.org)', 'all'],
]
test.each(links)('a link %s', (_what, markdown, html) => {
  expect(bodyOf(markdown)).toBe(`<p>${html}</p>`)
})

test('comments are left out, and line breaks in tables stay', () => {
  expect(bodyOf('<!-- generated -->\n\nText <!-- note --> goes on.\n\n<!-- end -->')).toBe('<p>Text  goes on.</p>')
  expect(bodyOf('| a |\n| - |\n| b<br>c |')).toContain('<td>b<br>c</td>')
})

test('a document has a title, a first sentence and headings with the anchors of code hosts', () => {
  const markdown = [
    '# The `svc` program',
    '',
    'It runs version 1.2 of *one*',
    'agent. More.',
    '',
    '## What is in it?',
    '### 2.11 Status file',
    '## What is in it',
  ].join('\n')
  const { title, summary, headings, html } = render(markdown, titleOf)
  expect([title, summary]).toEqual(['The svc program', 'It runs version 1.2 of one agent.'])
  expect(headings).toEqual([
    { level: 2, id: 'what-is-in-it', text: 'What is in it?' },
    { level: 3, id: '211-status-file', text: '2.11 Status file' },
    { level: 2, id: 'what-is-in-it-1', text: 'What is in it' },
  ])
  expect(html).not.toContain('<h1')
  expect(html).toContain('<h3 id="211-status-file">2.11 Status file</h3>')
  expect(anchorOf('Émile’s “A & B”: x_y')).toBe('émiles-a--b-x_y')
})

test('columns are aligned by classes, since the policy of the pages forbids inline styles', () => {
  const html = bodyOf('| a | b |\n| --: | :-: |\n| 1 | 2 |')
  expect(html).toContain('<th class="right">a</th>')
  expect(html).toContain('<td class="center">2</td>')
  expect(html).not.toContain('style')
})

test('a column without a heading has no empty heading', () => {
  const [head] = /<thead>[\s\S]*<\/thead>/.exec(bodyOf('| | a |\n| - | - |\n| 1 | 2 |')) ?? []
  expect(head?.replaceAll('\n', '')).toBe('<thead><tr><td></td><th>a</th></tr></thead>')
})

test('a document without a title is refused', () => {
  for (const markdown of ['Text.', '## Section', 'Text.\n\n# Title'])
    expect(() => render(markdown, titleOf)).toThrow('begins with its title')
})
