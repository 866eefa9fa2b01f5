/**
 * Tests blueprints on the page, from an upload to a revoked bot, with the real service, a real browser and the real
 * `svc init` (2.9, 2.10). `npm test` leaves this out. packages/server/src/updates/blueprints/pages.http.test.ts proves
 * the same rules.
 */
import { readFileSync } from 'node:fs'
import type { AgentPage, Bots, Members, NewCode } from '@svc/api'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resize, smallTargets, wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../testing/browser-setup.ts'
import { dropFile } from './testing/drop.ts'
import { Machine } from './testing/machine.ts'

let setup: BrowserSetup
let ada: Visitor
const machine = new Machine()
const w = '/api/web/w/north-wind'
const at = (path: string) => `${setup.url}/w/north-wind${path}`

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  await setup.operator(['product', 'add', 'tasks', '--origin', 'http://localhost:8790'])
  await setup.operator(['product', 'add', 'notes', '--origin', 'http://localhost:8791'])
  await setup.operator(['workspace', 'activate', 'north-wind', 'tasks'])
})
afterAll(async () => {
  machine.remove()
  await setup?.close()
})

const bound = `description: Sorts incoming mail.
status: state/status.json
logs: [{name: work, path: state/work.log}]
controls: [pause, resume]
settings: [{key: every, label: Minutes between runs, type: number, min: 1, max: 120, default: 10}]
state: [state]
secrets: [{name: MAIL_PASSWORD, purpose: reads the mailbox}, {name: EXTRA_KEY, purpose: finds more, optional: true}]
bindings: [{product: tasks, role: editor, scopes: [tasks.read, tasks.write]}]
`

async function upload(page: Page, zip: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload a zip…' }).click()
  await (await chooser).setFiles(zip)
}
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const copied = (page: Page, what: string) =>
  page.locator('.svc-copy', { has: page.getByRole('button', { name: `Copy ${what}`, exact: true }) }).locator('pre')
const text = async (page: Page, what: string): Promise<string> => (await copied(page, what).textContent()) ?? ''
const window = (width = 1280, scheme: 'light' | 'dark' = 'light'): Promise<Page> => setup.window(ada, { width, scheme })

test('a blueprint is uploaded, a code issued, and the agent installed with the shown lines; when its bot is revoked, the binding becomes bad', async () => {
  const page = await window()
  await page.goto(at('/'))
  await page.getByRole('link', { name: 'Blueprints', exact: true }).click()
  await page.getByText('No blueprints yet').waitFor()
  await upload(page, await machine.pack({ more: bound }))

  await heading(page, 'mail-triage 1.0.0')
  const shown = await page.getByRole('main').innerText()
  for (const words of [
    'Sorts incoming mail.',
    'python3 -u main.py',
    'tasks as editor',
    'can: tasks.read, tasks.write',
    'MAIL_PASSWORD',
    'reads the mailbox',
    'Number, 1 to 120, default 10',
    'state/work.log',
    'Ada Winter',
  ])
    expect(shown).toContain(words)

  await page.getByRole('link', { name: 'Install this version' }).click()
  await page.getByLabel('Agent name').fill('Inbox Nord')
  await page.getByRole('button', { name: 'Issue code' }).click()
  await page.getByText('Lowercase letters only.').waitFor()
  await page.getByLabel('Agent name').fill('inbox-nord')
  await page.getByRole('button', { name: 'Issue code' }).click()
  await heading(page, 'Install inbox-nord')
  const code = await text(page, 'code')
  expect(code).toMatch(/^svc_inst_[\w-]{43}$/)
  expect(await page.getByRole('timer').innerText()).toMatch(/^Expires in 1[45]\smin/)
  expect(page.url()).not.toContain('svc_inst_')
  await page.evaluate('window.stays = true')

  const lines = [await text(page, 'lines that download the program'), await text(page, 'line that installs')]
  expect(lines.join('\n')).not.toContain(code)
  await machine.shell(lines[0] ?? '')
  const said = await machine.shell(`MAIL_PASSWORD=hunter2hunter2 ${lines[1]}`, `${code}\n`)
  expect(said).toContain('tasks as editor: tasks.read, tasks.write')

  await heading(page, 'inbox-nord')
  expect(page.url()).toBe(at('/agents/inbox-nord'))
  expect(await page.evaluate('window.stays'), 'the page was not loaded again').toBe(true)
  await page.getByText('It is installed, and not started yet.').waitFor()
  expect(await text(page, 'line that starts it in the terminal')).toBe('python3 svc.pyz run --dir inbox-nord')

  const env = new Map(
    machine
      .read('inbox-nord/.svc/agent.env')
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  await setup.report(env.get('SVC_TOKEN') ?? '', {
    agent: { version: '1.0.0' },
    state: { level: 'ok', label: 'Working' },
    health: [{ name: 'Binding tasks', level: 'ok', detail: 'answers' }],
  })
  const binding = page.getByRole('list', { name: 'Bindings' }).getByRole('listitem')
  await binding.getByText('OK', { exact: true }).waitFor()
  const before = await binding.innerText()
  for (const words of ['tasks as editor', 'bot inbox-nord', 'http://localhost:8790', 'expires', 'never used'])
    expect(before).toContain(words)
  await page.getByRole('link', { name: 'mail-triage 1.0.0' }).waitFor()

  const other = await window()
  await other.goto(at('/bots'))
  await other.getByText('1 of 10 used').waitFor()
  await other.getByRole('button', { name: /^More about/ }).click()
  await other.getByRole('menuitem', { name: 'Revoke its token…' }).click()
  const dialog = other.getByRole('dialog')
  await dialog.getByText('tasks refuses the token of inbox-nord from now on.').waitFor()
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
  await other.getByText('revoked', { exact: true }).waitFor()

  await binding.getByText('Bad', { exact: true }).waitFor()
  expect(await binding.innerText()).toContain(
    "The bot's token for tasks was revoked here. To give it a new token, delete the agent here and install it again with a new code",
  )
  const { bindings } = await ada.call<AgentPage>('GET', `${w}/agents/inbox-nord`)
  expect(bindings[0]).toMatchObject({ product: 'tasks', token: 'revoked', broken: true })
})

test('a bundle is dropped on the page; a refused one is shown with every file and line, and nothing of it is kept', async () => {
  const page = await window()
  await page.goto(at('/blueprints'))
  const alert = page.getByRole('alert')
  await dropFile(page, 'notes.txt', Buffer.from('hello'), 'text/plain')
  await alert.getByText('This is not a zip.').waitFor()
  await dropFile(page, 'broken.zip', Buffer.from('this is no zip at all'))
  await alert.getByText('broken.zip').waitFor()
  await alert.getByText(/^The bundle/).waitFor()

  // `svc pack` would refuse this manifest, which has two faults, so Python makes the zip. The zip itself is valid.
  machine.write('bad/svc.agent.yaml', 'name: bad\nversion: one\nruntime: {kind: process, command: []}\n')
  await machine.shell('cd bad && python3 -m zipfile -c ../bad.zip svc.agent.yaml')
  await dropFile(page, 'bad.zip', readFileSync(`${machine.root}/bad.zip`))
  await alert.getByText('bad.zip: 2 findings').waitFor()
  expect(await alert.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^svc\.agent\.yaml:2:10 .*semantic version/),
    expect.stringMatching(/^svc\.agent\.yaml:3:\d+ .*command/),
  ])
  await ada.page.goto(at('/blueprints/bad'))
  await ada.page.getByText('Blueprint not found').waitFor()

  await dropFile(page, 'price-scout.zip', readFileSync(await machine.pack({ name: 'price-scout', version: '2.0.0' })))
  await heading(page, 'price-scout 2.0.0')
  await page.goto(at('/blueprints'))
  await dropFile(page, 'price-scout.zip', readFileSync(`${machine.root}/price-scout-2.0.0.zip`))
  await alert.getByText('raise the version').waitFor()
})

test('a version that an agent runs cannot be deleted, and the page says why; another one can, after its consequences are named', async () => {
  const page = await window()
  await page.goto(at('/blueprints/mail-triage'))
  await page.getByText('inbox-nord runs this version, so it can’t be deleted.').first().waitFor()
  expect(await page.getByRole('button', { name: 'Delete 1.0.0…' }).getAttribute('aria-disabled')).toBe('true')
  await upload(page, await machine.pack({ version: '1.1.0', more: bound }))
  await heading(page, 'mail-triage 1.1.0')
  await page.getByRole('button', { name: 'Delete 1.1.0…' }).click()
  await page.getByRole('dialog').getByText('This version can no longer be installed.').waitFor()
  await page.getByRole('button', { name: 'Delete version' }).click()
  await heading(page, 'mail-triage 1.0.0')
})

test('a code is shown once, listed while it is valid, and revoked; the page shows the outcome', async () => {
  const page = await window()
  await page.goto(at('/install?blueprint=price-scout'))
  await page.getByRole('button', { name: 'Issue code' }).click()
  await heading(page, 'Install price-scout')
  const code = await text(page, 'code')
  await page.reload()
  await page.getByText('It was shown only once.').waitFor()
  expect(await page.getByText(code).count()).toBe(0)

  const other = await window()
  await other.goto(at('/blueprints'))
  const open = other.getByRole('list', { name: 'Open install codes' })
  await open.getByText('Expires in').waitFor()
  await other.getByRole('button', { name: 'Revoke the code for price-scout' }).click()
  await other.getByRole('button', { name: 'Revoke code' }).click()
  await page.getByText('The code was revoked').waitFor()
  await open.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Issue another code' }).click()
  await page.getByRole('button', { name: 'Issue code' }).waitFor()
  expect(await page.getByLabel('Agent name').inputValue()).toBe('price-scout')
})

test('the code of a person who stops being an admin becomes invalid at once, on every page that shows it', async () => {
  const zoe = ['person', 'create', 'zoe@example.org', '--name', 'Zoe', '--workspace', 'north-wind', '--role', 'admin']
  await setup.operator(zoe, password)
  const { page, ...visitor } = await setup.visitor()
  await setup.signIn({ page, ...visitor }, 'zoe@example.org')
  const wanted = { blueprint: 'price-scout', version: '2.0.0' }
  const { id } = await visitor.call<NewCode>('POST', `${w}/codes`, wanted)
  await page.goto(at(`/codes/${id}`))
  await page.getByText(/Expires in 1[45]\smin/).waitFor()
  const list = await window()
  await list.goto(at('/blueprints'))
  const open = list.getByRole('list', { name: 'Open install codes' }).getByRole('listitem')
  await open.getByText('Expires in').waitFor()

  const { members } = await ada.call<Members>('GET', `${w}/members`)
  const member = members.find(({ email }) => email === 'zoe@example.org')
  await ada.call('PATCH', `${w}/members/${member?.id}`, { role: 'member' })
  await page.getByText('The code is no longer valid').waitFor()
  await open.getByText('No longer valid: its issuer is no longer an admin').waitFor()
  await list.getByRole('button', { name: 'Revoke the code for price-scout' }).click()
  await list.getByRole('button', { name: 'Revoke code' }).click()
  await open.waitFor({ state: 'detached' })
  await page.getByText('The code was revoked').waitFor()
})

test('a code counts down until it expires', async () => {
  const { id } = await ada.call<NewCode>('POST', `${w}/codes`, { blueprint: 'price-scout', version: '2.0.0' })
  // A test clock applies to all pages of one browser context, so this test uses a separate context.
  const { context, page } = await setup.visitor({ own: true })
  await context.addCookies(await ada.context.cookies())
  await page.clock.install()
  await page.goto(at(`/codes/${id}`))
  await page.getByText(/Expires in 1[45]\smin/).waitFor()
  await page.clock.fastForward('10:00')
  await page.getByText(/Expires in [45]\smin/).waitFor()
  await page.clock.fastForward('05:00')
  await page.getByText('Expired.').waitFor()
  await ada.call('DELETE', `${w}/codes/${id}`)
})

test('reasons that would refuse the installation are shown when the code is issued', async () => {
  await ada.page.goto(at('/blueprints'))
  const more = 'bindings: [{product: notes, role: reader, scopes: [notes.read]}]\n'
  await upload(ada.page, await machine.pack({ name: 'noter', more }))
  await ada.page.getByRole('link', { name: 'Install this version' }).click()
  await ada.page.getByRole('button', { name: 'Issue code' }).click()
  await ada.page.getByText('The installation would currently be refused:').waitFor()
  await ada.page
    .getByText(/notes.*activated|activated.*notes/)
    .first()
    .waitFor()
  await ada.page.goto(at('/bots'))
  await ada.page.getByText(/^(npx )?svc-server workspace activate north-wind notes$/).waitFor()
})

test('a code is issued for the blueprint that the link names, even while the list of blueprints is old', async () => {
  const page = await window()
  await page.goto(at('/blueprints'))
  await page.getByRole('button', { name: 'Upload a zip…' }).waitFor()
  const list = Promise.withResolvers<void>()
  await page.route('**/api/web/w/north-wind/blueprints', async (route) => {
    if (route.request().method() === 'GET') await list.promise
    await route.continue()
  })
  await upload(page, await machine.pack({ name: 'late-list' }))
  await page.getByRole('link', { name: 'Install this version' }).click()
  await heading(page, 'Install an agent')
  const issue = page.getByRole('button', { name: 'Issue code' })
  expect(await issue.count()).toBe(0)
  list.resolve()
  await issue.click()
  await heading(page, 'Install late-list')
})

test('changes made on the machine are marked in their place, until they are changed from the page', async () => {
  const { token } = await ada.call<{ token: string }>('POST', `${w}/agents`, { name: 'two-authors' })
  const settings = (every: number) => ({
    schema: [{ key: 'every', label: 'Minutes', type: 'number', min: 1, max: 60 }],
    values: { every },
  })
  const parts = (label: string, every: number, version: string) => ({
    controls: ['pause', 'resume'],
    state: { level: 'ok', label },
    settings: settings(every),
    agent: { version },
    applied: { version },
  })
  await setup.report(token, parts('Working', 10, '1.0.0'))
  const page = await window()
  await page.goto(at('/agents/two-authors'))
  await page.getByText('Working').first().waitFor()
  expect(await page.getByText('on the machine').count()).toBe(0)
  await setup.report(token, parts('Paused', 5, '1.1.0'))
  await page.getByText(/^Paused on the machine, not from here/).waitFor()
  await page.getByRole('article', { name: 'Versions' }).getByText('Changed on the machine').waitFor()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByText(/^Changed on the machine from 10/).waitFor()

  await page.getByLabel('Minutes', { exact: true }).fill('7')
  await page.getByRole('button', { name: 'Send changes' }).click()
  const { commands } = await setup.report(token, parts('Paused', 5, '1.1.0'))
  const acks = commands.map(({ id }) => ({ id, ok: true }))
  await setup.report(token, { ...parts('Paused', 7, '1.1.0'), acks })
  await page.getByText(/^Changed on the machine from 10/).waitFor({ state: 'detached' })
})

test('a member sees everything and can change nothing', async () => {
  await setup.operator(
    ['person', 'create', 'mo@example.org', '--name', 'Mo', '--workspace', 'north-wind', '--role', 'member'],
    password,
  )
  const { page, ...mo } = await setup.visitor()
  await setup.signIn({ page, ...mo }, 'mo@example.org')
  for (const [path, words] of [
    ['/blueprints', 'price-scout'],
    ['/blueprints/mail-triage', 'python3 -u main.py'],
    ['/bots', 'inbox-nord'],
  ] as const) {
    await page.goto(at(path))
    await page.getByRole('main').getByText(words).first().waitFor()
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /Upload|Revoke|Delete|Install|Issue/ })
        .count(),
      path,
    ).toBe(0)
  }
  await page.goto(at('/install'))
  await page.getByText('Only admins of this workspace can issue install codes.').waitFor()
})

test('everything in a manifest stays text', async () => {
  const markup = '<img src=x onerror=window.taken=1>'
  machine.write('hostile/compose.yaml', 'services: {web: {image: example}}\n')
  machine.write(
    'hostile/svc.agent.yaml',
    `name: hostile
version: 1.0.0
description: "${markup}"
runtime: {kind: compose, files: [compose.yaml], restart: never}
logs: [{name: "${markup}", path: state/work.log}]
settings: [{key: tone, label: "${markup}", type: select, options: [{value: a, label: "${markup}"}], default: a}]
secrets: [{name: KEY, purpose: "${markup}"}]
`,
  )
  await machine.shell('cd hostile && python3 -m zipfile -c ../hostile.zip svc.agent.yaml compose.yaml')
  const page = await window()
  await page.goto(at('/blueprints'))
  await upload(page, `${machine.root}/hostile.zip`)
  await heading(page, 'hostile 1.0.0')
  const main = page.getByRole('main')
  await main.getByText('Docker Compose files').waitFor()
  for (const path of ['/blueprints/hostile', '/blueprints', '/install?blueprint=hostile']) {
    await page.goto(at(path))
    await main.getByText(markup).first().waitFor()
    expect(await main.locator('img').count(), path).toBe(0)
    expect(await page.evaluate('window.taken'), path).toBeUndefined()
  }
  await page.goto(at('/blueprints/hostile'))
  await main.getByText(markup).nth(4).waitFor()
})

test('adding an agent offers a blueprint, too', async () => {
  await ada.page.goto(at('/add'))
  await ada.page.getByRole('link', { name: 'A blueprint' }).click()
  await ada.page.getByRole('link', { name: 'Choose a blueprint' }).click()
  await heading(ada.page, 'Install an agent')
})

test('several codes are issued at once, as a list and as a file, and the page follows who uses them', async () => {
  const page = await window()
  await page.goto(at('/install?blueprint=mail-triage'))
  await page.getByLabel('Agent name').fill('many')
  const number = page.getByLabel('Number of codes')
  for (const typed of ['0', '51', 'three', '']) {
    await number.fill(typed)
    await page.getByRole('button', { name: 'Issue code' }).click()
    await page.getByText('A whole number from 1 to 50.').waitFor()
  }
  await number.fill('３')
  await page.getByLabel('Tags').fill('eu')
  await page.getByRole('button', { name: 'Issue 3 codes' }).click()
  await heading(page, 'Install 3 agents')
  await page.getByText('0 of 3 used.').waitFor()
  const list = (await page.locator('.svc-copy pre').first().textContent()) ?? ''
  expect(list).toMatch(/^many {4}svc_inst_\S+\nmany-2 {2}svc_inst_\S+\nmany-3 {2}svc_inst_\S+$/)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('mail-triage-codes.csv')
  expect(readFileSync(await file.path(), 'utf8')).toContain('agent,code,valid_until\r\nmany,svc_inst_')
  expect(await wrongLooks(page, () => page.getByText('of 3 used.').waitFor())).toEqual([])
  await resize(page, 360)
  expect(await smallTargets(page)).toEqual([])
  await resize(page, 1440)

  const codes = list.split('\n').map((line) => line.split(/ +/)[1] ?? '')
  const redeem = (code: string | undefined) =>
    fetch(`${setup.url}/api/agent/v1/install`, { method: 'POST', body: JSON.stringify({ code }) })
  expect([(await redeem(codes[1])).status, (await redeem(codes[1])).status]).toEqual([200, 404])
  await page.getByText('1 of 3 used.').waitFor()
  await page.getByRole('link', { name: 'many-2', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Activity' }).click()
  const asked = page.getByRole('dialog', { name: 'Leave the codes?' })
  await asked.getByText('2 codes can still be used').waitFor()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Revoke 2 codes…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke codes' }).click()
  await page.getByText('1 of 3 used. 0 still valid.').waitFor()
  await page.getByRole('link', { name: 'Activity' }).click()
  await heading(page, 'Activity')
  for (const { id, state } of await ada.call<{ id: string; state: string }[]>('GET', `${w}/codes`))
    if (state === 'live') await ada.call('DELETE', `${w}/codes/${id}`)
  await ada.call('DELETE', `${w}/agents/many-2`)
  for (const { id, name } of (await ada.call<Bots>('GET', `${w}/bots`)).rows)
    if (name === 'many-2') await ada.call('DELETE', `${w}/bots/${id}`)
})

test('axe finds nothing in light and dark, wide and narrow, and nothing is wider than the window', async () => {
  const { id } = await ada.call<NewCode>('POST', `${w}/codes`, { blueprint: 'mail-triage', version: '1.0.0' })
  const page = await window()
  for (const [path, words] of [
    ['/blueprints', 'price-scout'],
    ['/blueprints/mail-triage', 'python3 -u main.py'],
    ['/install?blueprint=mail-triage', 'MAIL_PASSWORD'],
    [`/codes/${id}`, 'MAIL_PASSWORD'],
    ['/bots', 'inbox-nord'],
    ['/agents/inbox-nord', 'was revoked here'],
  ] as const) {
    await page.goto(at(path))
    const whole = () => page.getByRole('main').getByText(words).first().waitFor()
    expect(await wrongLooks(page, whole), path).toEqual([])
  }
  await page.goto(at('/bots'))
  await page
    .getByRole('button', { name: /^More about/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Delete bot…' }).click()
  expect(await wrongLooks(page, () => page.getByRole('dialog').waitFor()), 'deleting a bot').toEqual([])
  await ada.call('DELETE', `${w}/codes/${id}`)
})

test('the last bot is deleted with its token, and its place is free', async () => {
  const { rows } = await ada.call<Bots>('GET', `${w}/bots`)
  expect(rows.map(({ name }) => name)).toEqual(['inbox-nord'])
  await ada.page.goto(at('/bots'))
  await ada.page.getByRole('button', { name: /^More about/ }).click()
  await ada.page.getByRole('menuitem', { name: 'Delete bot…' }).click()
  await ada.page.getByRole('button', { name: 'Delete bot', exact: true }).click()
  await ada.page.getByText('No bots yet').waitFor()
  await ada.page.goto(at('/agents/inbox-nord'))
  await ada.page.getByText('The agent has no token for tasks').waitFor()
})

test('no page had an error', () => {
  expect(setup.faults).toEqual([])
})

test('an upload says that it waits for another tab only as long as another tab uploads', async () => {
  const page = await window()
  await page.goto(at('/blueprints'))
  await page.evaluate(() => {
    const said: string[] = []
    Object.assign(globalThis, { said })
    const look = () => said.push(document.querySelector('.bp-sending')?.textContent ?? '')
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  const sendsNonsense = () => dropFile(page, 'nonsense.zip', Buffer.from('nonsense'))
  const refused = page.getByRole('alert').filter({ hasText: 'nonsense.zip' })
  await sendsNonsense()
  await refused.waitFor()
  const said = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said.join('\n'))
  expect(said).toContain('Sending nonsense.zip')
  expect(said).not.toContain('another tab')

  const other = await page.context().newPage()
  await other.goto(at('/blueprints'))
  await other.evaluate(
    () =>
      new Promise<void>((held) => {
        void navigator.locks.request('svc-upload', () => new Promise(() => held()))
      }),
  )
  await sendsNonsense()
  await page.getByText('Waiting for the upload in another tab before sending nonsense.zip').waitFor()
  await other.close()
  await refused.waitFor()
})
