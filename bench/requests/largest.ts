/** The largest request of each operation that lists something of a workspace, or takes a thousand names or more. */
import { type InputForm, operations } from '@svc/api'
import { maxStrips } from '@svc/api/words'

/** A request below the path of the workspace. */
export interface LargestRequest {
  method: string
  path: string
  body?: unknown
}

/** The names that requests may use. */
export interface Names {
  /** The time at which the first request is sent. */
  now: number
  agents: readonly string[]
  alerts: readonly string[]
  /** The id of the newest thing that an operation has made, by the route of the operation. */
  made: Map<string, string>
}

const many = 1000
/** Twenty terms that each look into every text of an agent. */
const worstFilter = Array.from({ length: 20 }, (_, i) => `-name:*${i}${i}*${i}`).join(' ')
/** The tags are few and short, since an answer with the tags of all agents has at most 1 MB. */
const tags = ['x1', 'x2']
const q = `q=${encodeURIComponent(worstFilter)}`

const dayBefore = (now: number) => new Date(now - 86_400_000).toISOString().slice(0, 10)

/** The queries of those lists that need a query, or whose answer a query makes larger. */
const queries: Readonly<Record<string, string | ((names: Names) => string)>> = {
  'GET /w/:slug/fleet': `limit=200&sort=level&desc=true&${q}`,
  'GET /w/:slug/fleet/names': q,
  'GET /w/:slug/fleet/facets': q,
  'GET /w/:slug/fleet/groups': `by=tag&${q}`,
  'GET /w/:slug/fleet/map': `by=tag&${q}`,
  'GET /w/:slug/actions': 'limit=100',
  'GET /w/:slug/history/fleet': ({ now }) => `at=${Math.floor(now / 1000)}`,
  // One day, since for two days the rows of ten thousand agents would exceed 1 MB and be refused.
  'GET /w/:slug/history/cost': ({ now }) => `from=${dayBefore(now)}&to=${dayBefore(now)}&per=agent`,
  'GET /w/:slug/history/cost/export': 'per=agent',
  'GET /w/:slug/cost': 'per=agent',
  'GET /w/:slug/history/strips': ({ agents }) => `names=${agents.slice(0, maxStrips)}`,
}

/** The rest of an input that takes many names. The field `agents` is filled with as many names as it may have. */
export const inputs: Readonly<Record<string, (round: number, names: Names) => object>> = {
  'POST /w/:slug/tags/preview': () => ({ add: tags }),
  'POST /w/:slug/tags': (round) => (round % 2 === 0 ? { add: tags } : { remove: tags }),
  'POST /w/:slug/commands': () => ({ type: 'pause' }),
  'POST /w/:slug/actions/offers': () => ({ type: 'set' }),
  'POST /w/:slug/actions/preview': () => ({ type: 'set', values: { every: 5 } }),
  'POST /w/:slug/actions': (round) => ({ type: 'set', values: { every: 5 + round }, filter: 'can:pause' }),
  'POST /w/:slug/wishes': () => ({ kind: 'runtime', withdraw: true }),
  'POST /w/:slug/rollouts/preview': (_, names) => rollout(names),
  'POST /w/:slug/rollouts': (_, names) => rollout(names),
  'POST /w/:slug/alerts/acknowledge': (_, { alerts }) => ({ ids: alerts.slice(0, many), note: 'Looking' }),
}

const rollout = ({ made }: Names) => {
  const before = made.get('POST /w/:slug/rollouts')
  return { kind: 'blueprint', blueprint: 'mail', version: '2.0.0', waves: ['1', '100%'], end: before ? [before] : [] }
}

/** The number of items in the longest list of a form, and the field that holds it. */
function longestIn(form: InputForm, field = ''): { field: string; max: number } {
  const fields =
    form.is === 'object'
      ? Object.entries(form.fields).map(([key, one]) => longestIn(one, key))
      : form.is === 'kinds'
        ? Object.values(form.kinds).map((one) => longestIn(one, field))
        : [{ field, max: form.is === 'list' ? form.max : 0 }]
  return fields.reduce((a, b) => (b.max > a.max ? b : a), { field, max: 0 })
}

/** The routes of the operations that take many names. */
export const takingMany = operations
  .filter(({ input }) => input && longestIn(input.form).max >= many)
  .map(({ route }) => route as string)

const lists = operations
  .filter(({ route, manual }) => manual === undefined && /^GET \/w\/:slug(\/[^:]*)?$/.test(route))
  .map(({ route }) => route as string)

export function largestOf(names: Names): { route: string; request: (round: number) => LargestRequest }[] {
  const listed = lists.map((route) => {
    const query = queries[route] ?? ''
    const text = typeof query === 'string' ? query : query(names)
    return { route, request: () => ({ method: 'GET', path: `${pathOf(route)}${text && `?${text}`}` }) }
  })
  const taken = operations.flatMap(({ route, input }) => {
    const rest = inputs[route]
    if (!rest || !input) return []
    const { field, max } = longestIn(input.form)
    const agents = field === 'agents' ? { agents: names.agents.slice(0, max) } : {}
    const [method = ''] = route.split(' ')
    const request = (round: number) => ({ method, path: pathOf(route), body: { ...agents, ...rest(round, names) } })
    return [{ route: route as string, request }]
  })
  return [...taken, ...listed]
}

const pathOf = (route: string): string => (route.split(' ')[1] ?? '').replace('/w/:slug', '')
