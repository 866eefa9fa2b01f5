/**
 * Sends odd and long texts to every operation, as the forms of their readers say, and reads all lists afterwards. A new
 * operation with a text fails here until it has a row in `inputs` (testing/every-text.ts).
 */
import { operations } from '@svc/api'
import { expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { inputs, neverStored, takingText, textWorld } from '../../../testing/every-text.ts'
import { textsIn } from '../../../testing/forms.ts'
import { type Browser, serve } from '../../../testing/page/service.ts'
import { openTestPostgres, openTestSqlite } from '../../../testing/stores.ts'
import type { Store } from '../../platform/db/open.ts'
import { maxListBytes } from '../routing/bounded.ts'

test('every operation that takes a text has an input here', () => {
  const routes = takingText.map(({ route }) => route as string)
  expect([...Object.keys(inputs), ...neverStored].sort()).toEqual(routes.sort())
})

test('every text and every list of an input has a bound that is far below that of the body', () => {
  for (const { route, input } of takingText)
    for (const { form } of textsIn(input?.form ?? { is: 'flag' }))
      expect([route, form.max]).toEqual([route, expect.toSatisfy((max) => max <= 4000)])
})

const lists = operations
  .filter(({ route, manual }) => manual === undefined && /^GET \/(w\/:slug\/[^:]*|me|sessions|w\/:slug)$/.test(route))
  .map(({ route }) => `/api/web${route.slice(4).replace(':slug', 'north')}`)
const ofAgent = ['', '/commands', '/alerts', '/updates'].map((path) => `/api/web/w/north/agents/one${path}`)

/** The answers of all lists, each with its path. */
async function given(ann: Browser): Promise<{ path: string; text: string }[]> {
  const all: { path: string; text: string }[] = []
  for (const path of [...lists, ...ofAgent]) all.push({ path, text: (await ann.get(`${path}?all=true`)).text })
  return all
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that they are not there is what is tested
const odd = /\\u0000|\\u001b|\\u009b|\\u0085|\\ud83d|[\u0000\u001b\u0085\u009b]|\p{Bidi_Control}/iu
const oddTexts = ['a\0b', 'a\u001b[31m\u009b\u0085b', 'a\ud83db', 'a\u202e\u2066\u200fb']

const engines: [string, () => Promise<Store>, string[]][] = [
  ['SQLite', openTestSqlite, oddTexts],
  ['PostgreSQL', openTestPostgres, oddTexts.slice(0, 3)],
]
/**
 * In `npm test` each text has two kinds, so a kind that a field refuses hides the other one there. `npm run test:all`
 * tries each alone, and on PostgreSQL.
 */
const few: typeof engines = [['SQLite', openTestSqlite, [oddTexts.slice(0, 2).join(' '), oddTexts.slice(2).join(' ')]]]
test.each(byLevel(few, engines, engines))(
  'odd texts that people send are refused or cleaned, and never come back as they were (%s)',
  async (_engine, open, texts) => {
    const service = await serve({ postgres: await open() })
    const { ann, send } = await textWorld(service)
    for (const operation of takingText.filter(({ route }) => route in inputs)) {
      for (const { path } of textsIn(operation.input?.form ?? { is: 'flag' }))
        for (const text of texts) await send(operation, path, text)
    }
    for (const { path, text } of await given(ann)) expect([path, odd.exec(text)?.[0]]).toEqual([path, undefined])
    expect(service.errors).toEqual([])
  },
)

test('however long the texts are that people send, no list is larger than 1 MB', async () => {
  const service = await serve()
  const { ann, send } = await textWorld(service)
  for (const operation of takingText.filter(({ route }) => route in inputs)) {
    for (const { path, form } of textsIn(operation.input?.form ?? { is: 'flag' }))
      await send(operation, path, '漢'.repeat(form.max))
  }
  const values = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`${i}`.padStart(200, '漢'), '漢'.repeat(2000)]),
  )
  for (let i = 0; i < 10; i++)
    expect((await ann.send('POST', `/api/web/w/north/actions`, { type: 'set', agents: ['one'], values })).status).toBe(
      201,
    )
  for (const path of [...lists, ...ofAgent, `/api/web/w/north/actions?limit=100`]) {
    const { text } = await ann.get(path)
    expect([path, Buffer.byteLength(text) <= maxListBytes]).toEqual([path, true])
  }
  expect(service.errors).toEqual([])
})

const wrongActions: Readonly<Record<string, object>> = {
  'a text of 1.9 MB': { type: 'set', values: { t: 'x'.repeat(1_900_000) } },
  'a text of 2,001 characters': { type: 'set', values: { t: 'x'.repeat(2001) } },
  'a list': { type: 'set', values: { t: ['x'] } },
  'an object': { type: 'set', values: { t: { x: 1 } } },
  '101 settings': { type: 'set', values: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 1])) },
  'a name of 201 characters': { type: 'set', values: { ['k'.repeat(201)]: 1 } },
  'a name with a control character': { type: 'set', values: { 'a\u0007': 1 } },
  'no name': { type: 'set', values: { '': 1 } },
  'a log with a name of 191 characters': { type: 'log', values: { name: 'l'.repeat(191) } },
  'a log with a name with ESC': { type: 'log', values: { name: 'l\u001b' } },
}
test('an action that no agent can offer is refused before anything is stored', async () => {
  const service = await serve()
  const { ann } = await textWorld(service)
  for (const [what, action] of Object.entries(wrongActions)) {
    const sent = { agents: ['one'], ...action }
    expect([what, (await ann.send('POST', `/api/web/w/north/actions`, sent)).status]).toEqual([what, 400])
    expect([what, (await ann.send('POST', `/api/web/w/north/actions/preview`, sent)).status]).toEqual([what, 400])
  }
  expect((await ann.get<{ rows: unknown[] }>(`/api/web/w/north/actions`)).body.rows).toEqual([])
})
