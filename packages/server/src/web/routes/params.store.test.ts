/** Sends odd texts in the place of each parameter of each route. A new operation with a parameter joins by itself. */
import { operations } from '@svc/api'
import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'
import { openTestPostgres, openTestSqlite } from '../../../testing/stores.ts'
import { isCanonicalPath } from './target.ts'

/** Texts as a path spells them: controls, which no name has, and what is no text in UTF-8. */
const odd = {
  NUL: '%00',
  'NUL within': 'a%00b',
  'a line break': 'a%0Ab',
  ESC: '%1b%5B31m',
  DEL: '%7F',
  'a C1 control': '%C2%85',
  'a lone surrogate': '%ED%A0%80',
  'a byte that begins nothing': '%ff',
  'an overlong NUL': '%C0%80',
  'a bare percent sign': '%',
  'no hexadecimal digits': '%zz',
} as const
const spellings = Object.values(odd)
/** A percent sign that is itself encoded is only a sign, whatever follows: no path is decoded twice. */
const fine = ['%2500', '%25', '100%25', 'caf%C3%A9']

/** Each parameter of each route, with the path around it. The workspace is one that exists. */
const places = operations.flatMap(({ route }) => {
  const [method = '', path = ''] = route.split(' ')
  return (path.match(/:\w+/g) ?? []).map((name) => ({
    method,
    name,
    pathWith: (text: string) =>
      `/api/web${path.replace(/:\w+/g, (each) => (each === name ? text : each === ':slug' ? 'north' : 'one'))}`,
  }))
})

test('each odd text in a path is refused by its spelling, for every parameter', () => {
  for (const { pathWith } of places) {
    for (const text of spellings)
      expect([pathWith(text), isCanonicalPath(pathWith(text))]).toEqual([pathWith(text), false])
    for (const text of fine) expect([pathWith(text), isCanonicalPath(pathWith(text))]).toEqual([pathWith(text), true])
  }
})

test('an odd text in a path gets one answer, whichever the route and the database', async () => {
  const answers = new Map<string, string[]>()
  const known: unknown[] = []
  for (const open of [openTestSqlite, openTestPostgres]) {
    const service = await serve({ postgres: await open() })
    await service.agent(await service.workspace('north'), 'one')
    const ann = await service.person('Ann', 'north', 'admin')
    for (const [i, { method, name, pathWith }] of places.entries()) {
      const path = pathWith(spellings[i % spellings.length] as string)
      const { status, body } = await ann.send<{ error?: { code: string } }>(
        method,
        path,
        method === 'GET' ? undefined : {},
      )
      const answer = `${status} ${body?.error?.code}`
      answers.set(answer, [...(answers.get(answer) ?? []), `${method} ${path} (${name})`])
    }
    for (const text of fine) known.push((await ann.get(`/api/web/w/north/agents/${text}`)).body)
    expect(service.errors).toEqual([])
  }
  expect(Object.fromEntries(answers)).toEqual({ '404 not_found': expect.anything() as unknown })
  const unknown = { error: expect.objectContaining({ code: 'agent_unknown' }) as unknown }
  expect(known).toEqual(Array.from({ length: 2 * fine.length }, () => unknown))
})
