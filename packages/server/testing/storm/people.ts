/**
 * Simulates the people of a storm: they send commands, rotate tokens, wish versions, serve releases, delete agents and
 * issue install codes. Machines redeem the codes, several at the same time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { NamedInstall } from '../checker/lines.ts'
import { buildFolder, pyz } from '../releases.ts'
import type { Reporter, Storm } from './roles.ts'

export const slug = 'north'
export const versions = ['1.0.0', '1.1.0'] as const
export const firstRelease = '2.0.0'
const pathOf = ({ name }: { name: string }) => `${slug}/${name}`

type Act = (storm: Storm, agent: Reporter) => Promise<unknown>

/**
 * Lets people act on agents until the storm ends. An act is recorded if the service confirmed it; a wish, a release and
 * a deletion are recorded also if they may have happened.
 */
export async function steer(storm: Storm): Promise<void> {
  // A version wish, a token rotation and a runtime wish come first, so that a short storm contains them too.
  const [first] = storm.agents
  if (first) {
    await wish(storm, first, '1.1.0')
    await rotate(storm, first)
    while (!storm.over() && !(await wishRuntime(storm, first))) await sleep(storm.pause)
  }
  while (!storm.over()) {
    const agent = storm.pick(storm.agents)
    const what = storm.random()
    const [, act] = shares.find(([share]) => what < share) ?? [1, press]
    await act(storm, agent)
    await sleep(storm.pause * storm.random() * 0.5)
  }
}

async function press(storm: Storm, agent: Reporter): Promise<void> {
  const every = `every=${1 + Math.floor(storm.random() * 100)}`
  const what = storm.random() < 0.7 ? ['set', every] : ['run_now']
  const sent = await storm.operate<{ id: string; made: boolean }>('command send', [pathOf(agent), ...what])
  if (sent.ok && sent.value.made) storm.note({ kind: 'press', at: Date.now(), command: sent.value.id, agent: agent.id })
}

async function rotate(storm: Storm, agent: Reporter): Promise<void> {
  const old = agent.token
  const rotated = await storm.operate<{ token: string }>('agent rotate', [pathOf(agent)])
  if (!rotated.ok) return
  storm.note({ kind: 'void', at: Date.now(), agent: agent.id, token: old })
  // The agent uses the old token for a moment, like an agent on whose machine nobody has set the new token yet.
  await sleep(storm.pause)
  agent.token = rotated.value.token
}

async function wish(
  storm: Storm,
  agent: Reporter,
  version: string | null = storm.pick([...versions, null]),
): Promise<void> {
  if (agent.version === null) return
  const at = Date.now()
  const wished = await storm.operate('wish blueprint', [pathOf(agent), version ?? 'off'])
  if (!wished.ok && wished.known) return
  const done = wished.ok ? Date.now() : Infinity
  storm.note({ kind: 'wish', of: 'blueprint', at, done, agent: agent.id, version })
}

type WishAnswer = { changed: boolean; updates: { runtime: { wish: { version: string } | null } } }

/** Requests a runtime update of an agent; returns true when the service accepted the request. */
async function wishRuntime(storm: Storm, agent: Reporter): Promise<boolean> {
  const at = Date.now()
  const wished = await storm.operate<WishAnswer>('wish runtime', [pathOf(agent)], { unsigned: true })
  if (wished.ok ? !wished.value.changed : wished.known) return false
  const of = { kind: 'wish', of: 'runtime', at, agent: agent.id } as const
  if (wished.ok) storm.note({ ...of, done: Date.now(), version: wished.value.updates.runtime.wish?.version })
  else storm.note({ ...of, done: Infinity, version: undefined })
  return wished.ok
}

async function withdrawRuntime(storm: Storm, agent: Reporter): Promise<void> {
  const at = Date.now()
  const taken = await storm.operate<WishAnswer>('wish runtime', [pathOf(agent), 'off'])
  if (taken.ok && taken.value.changed)
    storm.note({ kind: 'wish', of: 'runtime', at, done: Date.now(), agent: agent.id, version: null })
}

const lift: Act = (storm, agent) => storm.operate('wish lift', [pathOf(agent)])

/**
 * The acts of people on a random agent, each with the upper end of its share: a random number from 0 to 1 selects the
 * first act whose number is larger.
 */
const shares: [share: number, act: Act][] = [
  [0.6, press],
  [0.68, wish],
  [0.82, wishRuntime],
  [0.84, withdrawRuntime],
  [0.9, lift],
  [1, rotate],
]

/**
 * Adds new releases, one after the other. The service then serves the new release, which ends wishes for the release
 * before it.
 */
export async function release(storm: Storm): Promise<void> {
  for (let n = 1; !storm.over(); n++) {
    await sleep(storm.pause * (10 + 20 * storm.random()))
    const version = `2.0.${n}`
    const folder = buildFolder(pyz(version))
    const at = Date.now()
    while (!(await storm.operate('release add', [folder])).ok) {
      if (storm.over()) return storm.note({ kind: 'serve', at, done: Infinity, version })
      await sleep(50)
    }
    storm.note({ kind: 'serve', at, done: Date.now(), version })
  }
}

/**
 * Deletes agents, so that others can be installed under their names. Some of them were installed, but no machine runs
 * them.
 */
export async function tidy(storm: Storm): Promise<void> {
  while (!storm.over()) {
    await sleep(storm.pause * (4 + 4 * storm.random()))
    const agent = storm.agents.find(({ gone }, i) => i > 0 && !gone && storm.random() < 0.2)
    if (agent) await remove(storm, agent)
    const orphan = await orphanOf(storm).catch(() => undefined)
    if (orphan && storm.random() < 0.3) await remove(storm, orphan)
  }
}

/** Finds an agent that was installed but that no machine runs, because the answer with its token was lost. */
const orphanOf = (storm: Storm) =>
  storm.read(async (db) => {
    const known = new Set(storm.agents.map(({ id }) => id))
    const installed = await db.selectFrom('agent').select(['id', 'name']).where('blueprint', 'is not', null).execute()
    return installed.find(({ id }) => !known.has(id))
  })

async function remove(storm: Storm, agent: { id: string; name: string; gone?: boolean }): Promise<void> {
  const at = Date.now()
  const isThere = () => storm.read((db) => db.selectFrom('agent').select('id').where('id', '=', agent.id).execute())
  let done = Infinity
  while (done === Infinity && !storm.over()) {
    const deleted = await storm.operate('agent delete', [pathOf(agent)])
    if (deleted.ok || (await isThere().catch(() => [agent])).length === 0) done = Date.now()
    else await sleep(50)
  }
  storm.note({ kind: 'delete', at, done, agent: agent.id, name: agent.name })
  const i = storm.agents.findIndex(({ id }) => id === agent.id)
  if (i >= 0) storm.agents.splice(i, 1)
  // The machine of the deleted agent continues for a moment, because it does not know yet that the agent was deleted.
  await sleep(storm.pause * 2)
  agent.gone = true
}

type IssuedLine = { code: string; id: string; blueprint: string; version: string; agent: string }

/** Issues install codes. Several machines preview and redeem each code at the same time, through several nodes. */
export async function install(storm: Storm, codes: Map<string, string>): Promise<void> {
  for (let n = 0; !storm.over(); n++) {
    const wanted = [slug, 'mail@1.0.0'] as const
    const issued = await storm.operate<IssuedLine>('code issue', [...wanted], { agent: `installed-${n % 14}` })
    if (issued.ok) {
      const { code, id, blueprint, version, agent: agentName } = issued.value
      codes.set(code, id)
      const rows = storm.read((db) => db.selectFrom('install_code').select('sha256').where('id', '=', id).execute())
      const sha256 = (await rows.catch(() => []))[0]?.sha256
      storm.note({ kind: 'issue', at: Date.now(), code, names: { blueprint, version, agentName, sha256 } })
      const calls = [
        call(storm, 'preview', code),
        ...[1, 2, 3].map(() => call(storm, 'redeem', code)),
        call(storm, 'redeem', unknownLike(code)),
      ]
      for (const token of await Promise.all(calls)) if (token) await join(storm, agentName, token)
      await compare(storm, code)
    }
    await sleep(storm.pause * 2)
  }
}

const unknownLike = (code: string) => `svc_inst_${'x'.repeat(code.length - 9)}`

/**
 * Makes the same calls with a used install code and with a code that never existed, while nobody else uses these codes.
 * The checker then compares the answers and their times (I14).
 */
async function compare(storm: Storm, code: string): Promise<void> {
  for (const kind of ['redeem', 'preview'] as const)
    for (const one of storm.random() < 0.5 ? [code, unknownLike(code)] : [unknownLike(code), code])
      await call(storm, kind, one, true)
}

/** Adds a newly installed agent to the storm, on the machine that redeemed the code. */
async function join(storm: Storm, name: string, token: string): Promise<void> {
  const found = await storm
    .read((db) => db.selectFrom('agent').select('id').where('name', '=', name).executeTakeFirst())
    .catch(() => undefined)
  if (!found || storm.agents.some(({ id }) => id === found.id)) return
  storm.join({ ...found, name, token, fill: 0, version: '1.0.0', runtime: { version: '1.9.0' }, gone: false })
}

/** Previews or redeems an install code. Returns the token of the new agent if the code was redeemed. */
async function call(
  storm: Storm,
  kind: 'preview' | 'redeem',
  code: string,
  alone = false,
): Promise<string | undefined> {
  const path = `/api/agent/v1/install${kind === 'preview' ? '/preview' : ''}`
  const from = performance.now()
  const reply = await storm.post(path, { code })
  if (!reply) return undefined
  const took = alone ? performance.now() - from : undefined
  const json = reply.json as NamedInstall & { agent?: { name: string }; env?: Record<string, string> }
  const { blueprint, version, agentName, agent, sha256, env } = json
  const names = reply.status === 200 ? { blueprint, version, agentName: agent?.name ?? agentName, sha256 } : undefined
  const body = kind === 'redeem' && reply.status === 200 ? '' : reply.text
  storm.note({ kind, at: Date.now(), code, status: reply.status, body, names, took })
  return env?.SVC_TOKEN
}
