/**
 * Tests the example agent link-checker with documents and a small web server that the tests create. `npm test` leaves
 * this out. It is about an example, which shares no code with the product.
 */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { StatusFile } from '@svc/protocol'
import { expect, test } from 'vitest'
import { within } from '../testing/within.ts'
import { Example } from './running.ts'

class Documents implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-documents-'))
  constructor(files: Record<string, string>) {
    for (const [name, text] of Object.entries(files)) this.write(name, text)
  }
  write(name: string, text: string) {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true })
    writeFileSync(join(this.folder, name), text)
  }
  [Symbol.dispose]() {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const checked = (s: StatusFile) => s.runs?.[0]?.ended !== undefined
function broken(s: StatusFile): string[] {
  const panel = s.panels?.find((p) => p.type === 'list')
  return panel?.type === 'list' ? (panel.items ?? []).map((i) => `${i.meta?.split(' ')[0]} ${i.badge} ${i.title}`) : []
}
async function faultsOf(files: Record<string, string>): Promise<string[]> {
  using documents = new Documents(files)
  await using agent = new Example('link-checker').start({ folder: documents.folder })
  return broken(await agent.until(checked))
}

const cases: [rule: string, files: Record<string, string>, faults: string[]][] = [
  ['a link to a file that is there', { 'a.md': '[b](sub/b.md)', 'sub/b.md': '[up](../a.md) [root](/a.md)' }, []],
  ['a link to a file that is not there', { 'a.md': '\n[b](b.md)' }, ['a.md:2 no file b.md']],
  [
    'an image, a reference and a title',
    { 'a.md': '![i](i.png "x")\n\n[r]: r.md' },
    ['i.png', 'r.md'].map((f, i) => `a.md:${i * 2 + 1} no file ${f}`),
  ],
  ['a folder, a query, an encoded name', { 'a.md': '[d](sub) [q](b%20c.md?x=1)', 'sub/x.md': '', 'b c.md': '' }, []],
  [
    'an anchor of a heading',
    { 'a.md': '# Two *Words*, `code`!\n[x](#two-words-code) [y](#two)' },
    ['a.md:2 no anchor #two'],
  ],
  ['the second heading of one name', { 'a.md': '# A\n# A\n[x](#a-1) [y](#a-2)' }, ['a.md:3 no anchor #a-2']],
  ['an underlined heading', { 'a.md': 'Some Title\n==\n[x](#some-title)' }, []],
  [
    'an anchor in another document',
    { 'a.md': '[x](b.html#here) [y](b.html#gone)', 'b.html': '<p id="here">' },
    ['a.md:1 no anchor b.html#gone'],
  ],
  [
    'links of HTML, also inside Markdown',
    { 'a.html': '<a href="no.md">', 'b.md': 'x\n<img src="no.png">' },
    ['a.html:1 no file no.md', 'b.md:2 no file no.png'],
  ],
  ['code and comments are not links', { 'a.md': '`[x](no.md)`\n```\n[y](no.md)\n```\n<!-- [z](no.md) -->' }, []],
  [
    'mail, telephone and the web are left out',
    { 'a.md': '[m](mailto:a@b.c) [t](tel:1) <https://nowhere.invalid/>' },
    [],
  ],
  ['parentheses and angle brackets', { 'a.md': '[x](f(1).md) [y](<g h.md>)', 'f(1).md': '', 'g h.md': '' }, []],
  ['what is no text', { 'a.md': 'ok', 'b.md': '' }, []],
  ['hidden folders are left out', { '.git/a.md': '[x](no.md)', 'node_modules/a.md': '[x](no.md)', 'a.md': '' }, []],
]
test.each(cases)('%s', async (_rule, files, faults) => {
  expect(await faultsOf(files)).toEqual(faults)
})

test('state, health and gauges follow the share of broken links, and run now notices mended ones', async () => {
  using documents = new Documents({ 'a.md': '[1](a.md) [2](a.md) [3](a.md) [4](gone.md)' })
  const { folder } = documents
  await using agent = new Example('link-checker').start({ folder, bad_share: 50 })
  const warned = await agent.until(checked)
  expect(warned.state).toMatchObject({ level: 'warn', label: '1 broken link' })
  expect(warned.gauges?.[0]).toMatchObject({ used: 0.25, mark: 0.5 })
  expect(warned.health?.map((h) => [h.name, h.level])).toEqual([
    ['Links', 'warn'],
    ['a.md', 'warn'],
  ])
  agent.set({ folder, bad_share: 25 })
  await agent.until((s) => s.state?.level === 'bad')
  documents.write('gone.md', 'here')
  agent.runNow()
  const good = await agent.until((s) => s.state?.level === 'ok' && checked(s))
  expect(good.runs?.[0]).toMatchObject({ status: 'ok', subjects: [{ title: 'a.md', share: 1 }] })
})

test('the settings decide which documents and which links are checked', async () => {
  using documents = new Documents({ 'a.md': '[x](no.md)', 'b.html': '<a href="not.html">' })
  const { folder } = documents
  await using agent = new Example('link-checker').start({ folder, kinds: 'markdown' })
  const faults = (...wanted: string[]) => agent.until((s) => checked(s) && broken(s).join() === wanted.join())
  await faults('a.md:1 no file no.md')
  agent.set({ folder, kinds: 'html' })
  await faults('b.html:1 no file not.html')
  agent.set({ folder, ignore: 'no.* *.htm' })
  await faults('b.html:1 no file not.html')
  agent.set({ folder: '/nowhere/at/all' })
  const none = await agent.until((s) => s.state?.level === 'bad' && s.state.label === 'No folder to check')
  expect(none.runs?.[0]?.status).toBe('failed')
})

test('web addresses are requested only while the setting is on, each once, and a pause ends the check', async () => {
  const asked: string[] = []
  let hold: (() => void) | undefined
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const answer = () => response.writeHead(request.url === '/gone' ? 410 : request.url === '/shy' ? 403 : 200).end()
    if (request.url === '/slow') hold = answer
    else answer()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const web = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const links = `[1](${web}/good#x) [2](${web}/good) [3](${web}/gone) [4](${web}/shy)`
    using documents = new Documents({ 'a.md': links })
    const { folder } = documents
    await using agent = new Example('link-checker').start({ folder })
    const off = await agent.until(checked)
    expect([asked, broken(off)]).toEqual([[], []])

    agent.set({ folder, check_web: true })
    const on = await agent.until((s) => checked(s) && s.runs?.[0]?.kind === 'check with web')
    expect(broken(on)).toEqual([`a.md:1 410 ${web}/gone`])
    expect(asked.sort()).toEqual(['GET /shy', 'HEAD /gone', 'HEAD /good', 'HEAD /shy'])

    documents.write('b.md', `<${web}/slow>`)
    agent.runNow()
    const during = await agent.until((s) => s.runs?.[0]?.ended === undefined)
    expect(during.state?.label).toBe('Checking')
    expect(during.active).toHaveLength(1)
    while (!hold) await within(() => 'a request for /slow', once(server, 'request'))
    agent.pause()
    hold()
    const paused = await agent.until((s) => s.state?.label === 'Paused')
    expect(paused.runs?.[0]).toMatchObject({ status: 'paused' })
    agent.resume()
    await agent.until((s) => checked(s) && s.runs?.[0]?.status === 'broken links')
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('SIGTERM ends it at once, even while an address is slow', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    using documents = new Documents({ 'a.md': `<http://127.0.0.1:${(server.address() as AddressInfo).port}/>` })
    const request = once(server, 'request')
    await using agent = new Example('link-checker').start({ folder: documents.folder, check_web: true, timeout: 60 })
    await request
    const { code } = await agent.stop()
    expect(code).toBe(0)
    expect(agent.status().runs?.[0]?.status).toBe('stopped')
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
