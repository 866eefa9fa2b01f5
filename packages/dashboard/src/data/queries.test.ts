/** Tests the keys under which the page keeps what it has read. */
import { matchQuery, QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { fleetQuery, isAboutAlerts, isOnlyAboutAlerts, queryKeys, read } from './queries.ts'

test('a key is the filled path of its route, and the input', () => {
  const at = { slug: 'north', name: 'mail' }
  expect(read('GET /me').queryKey).toEqual(['me', {}])
  expect(read('GET /w/:slug', at).queryKey).toEqual(queryKeys.facts('north'))
  expect(read('GET /w/:slug/agents/:name', at).queryKey).toEqual([...queryKeys.agent('north', 'mail'), {}])
  const usage = read('GET /w/:slug/agents/:name/usage', at, { days: 7 })
  expect(usage.queryKey).toEqual([...queryKeys.agent('north', 'mail'), 'usage', { days: 7 }])
})

test('the key of the list of agents fits its windows, and neither facets nor other workspaces', () => {
  const client = new QueryClient()
  const window = fleetQuery('north', { q: 'bad' }, 200)
  const facets = read('GET /w/:slug/fleet/facets', { slug: 'north' }, { q: '' })
  for (const { queryKey } of [window, facets, fleetQuery('south', {}, 0)])
    client.getQueryCache().build(client, { queryKey })
  const cached = client.getQueryCache().getAll()
  const fits = (queryKey: readonly unknown[]) => cached.filter((query) => matchQuery({ queryKey }, query)).length
  expect([fits(queryKeys.fleet('north')), fits(queryKeys.workspace('north')), fits(queryKeys.facts('north'))]).toEqual([
    1, 2, 0,
  ])
})

const w = { slug: 'north' }
const agent = { ...w, name: 'mail' }
test.each([
  ['open alerts', 'alerts', read('GET /w/:slug/alerts/lines', w)],
  ['rules', 'alerts', read('GET /w/:slug/rules', w)],
  ['mutes', 'alerts', read('GET /w/:slug/mutes', w)],
  ['channels', 'alerts', read('GET /w/:slug/channels', w)],
  ['own channels', 'alerts', read('GET /w/:slug/my-channels', w)],
  ['messages', 'alerts', read('GET /w/:slug/deliveries', w)],
  ['settings of alerts', 'alerts', read('GET /w/:slug/alert-settings', w)],
  ['alerts of an agent', 'alerts', read('GET /w/:slug/agents/:name/alerts', agent)],
  ['expected hours of an agent', 'alerts', read('GET /w/:slug/agents/:name/hours', agent)],
  ['the history of an agent', 'both', read('GET /w/:slug/agents/:name/history/changes', agent)],
  ['the states of an agent', 'others', read('GET /w/:slug/agents/:name/history/states', agent)],
  ['the page of an agent', 'others', read('GET /w/:slug/agents/:name', agent)],
  ['logs of an agent', 'others', read('GET /w/:slug/agents/:name/logs', agent)],
  ['an agent named alerts', 'others', read('GET /w/:slug/agents/:name', { ...w, name: 'alerts' })],
  ['members', 'others', read('GET /w/:slug/members', w)],
] as const)('%s: frames about %s load them again', (_what, frames, { queryKey }) => {
  expect(isAboutAlerts(queryKey)).toBe(frames !== 'others')
  expect(isOnlyAboutAlerts(queryKey)).toBe(frames === 'alerts')
})

/** Frames about alerts tell that they open and end, and not that their words change with each report. */
test.each([
  ['open alerts', read('GET /w/:slug/alerts/lines', w)],
  ['the timeline of alerts', read('GET /w/:slug/alerts/timeline', w)],
  ['alerts of an agent', read('GET /w/:slug/agents/:name/alerts', agent)],
])('%s are read again without a frame, since open alerts say what is true now', (_what, { refetchInterval }) => {
  expect(refetchInterval).toBeTypeOf('function')
})
