import { beforeEach, expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { agentFolder, becomes } from '../../testing/folder.ts'
import { json, type Service, startService } from '../../testing/service.ts'
import { agentAt } from '../cli/kit/folder.ts'
import { readAgentFacts } from '../cli/look/facts.ts'
import { explainState } from '../cli/look/why.ts'
import { judgeBinding, pauseAfter, probeBinding, watchBindings } from './bindings.ts'

let product: Service
beforeEach(async () => {
  product = await startService()
  product.other = json({ id: 'w' })
  afterThisTest(() => product.close())
})
const variables = (name: string) =>
  `SVC_BINDING_${name}_URL=${product.origin}\nSVC_BINDING_${name}_WORKSPACE=${name}\nSVC_BINDING_${name}_TOKEN=t\n`
const binding = (product: string) => ({ product, role: 'editor', scopes: [] })

test('bindings that a new version adds are watched at once, those that it drops no longer, and none is asked twice (3.7)', async () => {
  const folder = agentFolder({ '.svc/agent.env': variables('TASKS') + variables('NOTES') })
  const stop = new AbortController()
  afterThisTest(() => folder.remove())
  afterThisTest(() => stop.abort())
  const tasks = { bindings: [binding('tasks')] }
  const both = { bindings: [binding('tasks'), binding('notes')] }
  const watch = watchBindings(folder, tasks, stop.signal)
  const namesOf = (manifest: typeof both) => watch.health(manifest).map(({ name, level }) => `${name} ${level}`)
  await becomes('the first is known', () => namesOf(tasks).length === 1)
  await becomes('the added one is known', () => namesOf(both).length === 2)
  expect(namesOf(both)).toEqual(['Binding tasks ok', 'Binding notes ok'])
  expect(namesOf(tasks)).toEqual(['Binding tasks ok'])
  expect(namesOf(both)).toEqual(['Binding tasks ok', 'Binding notes ok'])
  expect(product.others.map(({ path }) => path.split('/').at(-1))).toEqual(['TASKS', 'NOTES'])
})

test.each([
  ['never', 0, 0],
  ['a minute ago', -60, 240],
  ['in three hours, before the clock was set back', 3 * 3600, 300],
])('a product that was last probed %s is probed within five minutes', (_when, seconds, pause) => {
  const now = Date.UTC(2026, 10, 21)
  expect(pauseAfter(seconds === 0 ? 0 : now + seconds * 1000, now)).toBe(pause * 1000)
})

test("the products' answers are shown to people on the machine, for the bindings that the current version names", async () => {
  const named = 'name: mail\nversion: 1.0.0\nbindings: [{product: tasks, role: editor, scopes: []}]\n'
  const folder = agentFolder({
    'svc.agent.yaml': named,
    '.svc/agent.env': variables('OLD'),
    '.svc/journal/commands': '',
  })
  const stop = new AbortController()
  afterThisTest(() => folder.remove())
  afterThisTest(() => stop.abort())
  const watch = watchBindings(folder, { bindings: [binding('tasks'), binding('old')] }, stop.signal)
  await becomes('both are known', () => watch.health({ bindings: [binding('tasks'), binding('old')] }).length === 2)
  const reasons = explainState(readAgentFacts(await agentAt(folder.root)), 0)
  expect(reasons).toContainEqual(expect.stringMatching(/^Health bad: Binding tasks: There is no token for tasks here/))
  expect(reasons.join()).not.toContain('Binding old')
})

const answered = (status: number) => ({ is: 'answered', status, headers: {}, body: Buffer.alloc(0) }) as const

test.each([
  [200, 'ok'],
  [403, 'ok'],
  [401, 'bad'],
  [404, 'bad'],
  [302, 'warn'],
  [429, 'warn'],
  [500, 'warn'],
])('a product that answers %i makes the binding %s (3.7)', (status, level) => {
  expect(judgeBinding(answered(status), 'https://tasks.example')).toMatchObject({ level })
})

test('an unreachable product is a warning', () => {
  expect(
    judgeBinding({ is: 'lost', why: 'nothing listens at the address', sent: false }, 'https://tasks.example'),
  ).toEqual({
    level: 'warn',
    detail: 'https://tasks.example cannot be reached: nothing listens at the address.',
  })
})

test('a product that a newer version asks for, and that got no token at the installation, is reported with the remedy', async () => {
  const product = 'p'.repeat(40)
  const none = { product, url: undefined, workspace: undefined, token: undefined }
  const { level, detail } = await probeBinding(none, new AbortController().signal)
  expect(level).toBe('bad')
  expect(detail).toMatch(/There is no token for p+ here.* install it again .*, or go back to the previous version\.$/)
})

test.each([
  [{ url: undefined }, 'not all in'],
  [{ url: 'https://u:p@tasks.example' }, 'user name'],
  [{ url: 'file:///etc/passwd' }, 'address such as'],
])('variables that do not form a binding are reported, and no request is made: %j', async (part, says) => {
  const binding = { product: 'tasks', workspace: 'w', token: 't', ...part }
  expect(await probeBinding(binding, new AbortController().signal)).toMatchObject({
    level: 'bad',
    detail: expect.stringContaining(says),
  })
})
