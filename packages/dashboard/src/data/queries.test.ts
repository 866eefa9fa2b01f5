/** Tests the keys under which the page keeps what it has read. */
import { matchQuery, QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { fleetQuery, isAboutAlerts, keys, read } from './queries.ts'

test('a key is the filled path of its route, and the input', () => {
  const at = { slug: 'north', name: 'mail' }
  expect(read('GET /me').queryKey).toEqual(['me', {}])
  expect(read('GET /w/:slug', at).queryKey).toEqual(keys.facts('north'))
  expect(read('GET /w/:slug/agents/:name', at).queryKey).toEqual([...keys.agent('north', 'mail'), {}])
  const usage = read('GET /w/:slug/agents/:name/usage', at, { days: 7 })
  expect(usage.queryKey).toEqual([...keys.agent('north', 'mail'), 'usage', { days: 7 }])
})

test('the key of the list of agents fits its windows, and neither facets nor other workspaces', () => {
  const client = new QueryClient()
  const window = fleetQuery('north', { q: 'bad' }, 200)
  const facets = read('GET /w/:slug/fleet/facets', { slug: 'north' }, { q: '' })
  for (const { queryKey } of [window, facets, fleetQuery('south', {}, 0)])
    client.getQueryCache().build(client, { queryKey })
  const cached = client.getQueryCache().getAll()
  const fits = (queryKey: readonly unknown[]) => cached.filter((query) => matchQuery({ queryKey }, query)).length
  expect([fits(keys.fleet('north')), fits(keys.workspace('north')), fits(keys.facts('north'))]).toEqual([1, 2, 0])
})

const w = { slug: 'north' }
const agent = { ...w, name: 'mail' }
test.each([
  ['open alerts', true, read('GET /w/:slug/alerts/lines', w)],
  ['rules', true, read('GET /w/:slug/rules', w)],
  ['mutes', true, read('GET /w/:slug/mutes', w)],
  ['channels', true, read('GET /w/:slug/channels', w)],
  ['own channels', true, read('GET /w/:slug/my-channels', w)],
  ['messages', true, read('GET /w/:slug/deliveries', w)],
  ['settings of alerts', true, read('GET /w/:slug/alert-settings', w)],
  ['alerts of an agent', true, read('GET /w/:slug/agents/:name/alerts', agent)],
  ['expected hours of an agent', true, read('GET /w/:slug/agents/:name/hours', agent)],
  ['the page of an agent', false, read('GET /w/:slug/agents/:name', agent)],
  ['logs of an agent', false, read('GET /w/:slug/agents/:name/logs', agent)],
  ['an agent named alerts', false, read('GET /w/:slug/agents/:name', { ...w, name: 'alerts' })],
  ['members', false, read('GET /w/:slug/members', w)],
])('a frame about alerts loads %s again: %s', (_what, loads, { queryKey }) => {
  expect(isAboutAlerts(queryKey)).toBe(loads)
})
