/** What people do in a storm: press, rotate tokens, name versions, issue codes; and who redeems these, several at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { rotateToken } from '../../src/agents/store.ts'
import { queueCommand } from '../../src/commands/store.ts'
import type { Db } from '../../src/db/open.ts'
import { issueCode } from '../../src/installs/codes.ts'
import { clearBlueprint, wishBlueprint } from '../../src/wishes/store.ts'
import type { Named } from '../checker/lines.ts'
import type { Reporter } from './agents.ts'
import type { Storm } from './storm.ts'

const by = { id: null, name: 'operator' }
export const versions = ['1.0.0', '1.1.0'] as const

/** Until the end; whatever fails because the database is away is not noted, since nobody was told that it happened. */
export async function steer(storm: Storm, db: Db, agents: readonly Reporter[]): Promise<void> {
  // Some of each, however short the storm is.
  const [first] = agents
  if (first) await wish(storm, db, first, '1.1.0').then(() => rotate(storm, db, first))
  while (!storm.over()) {
    const agent = storm.pick(agents)
    const what = storm.random()
    const act = what < 0.75 ? press : what < 0.85 ? wish : rotate
    await act(storm, db, agent).catch(() => sleep(50))
    await sleep(storm.pause * storm.random() * 0.5)
  }
}

async function press(storm: Storm, db: Db, agent: Reporter): Promise<void> {
  const set = { type: 'set', payload: { every: 1 + Math.floor(storm.random() * 100) } } as const
  const wished = storm.random() < 0.7 ? set : ({ type: 'run_now', payload: {} } as const)
  const queued = await queueCommand(db, agent, wished, by, Date.now())
  if (!queued.ok || !queued.value.made) return
  storm.note({ kind: 'press', at: Date.now(), command: queued.value.command.id, agent: agent.id })
}

async function rotate(storm: Storm, db: Db, agent: Reporter): Promise<void> {
  const old = agent.token
  const rotated = await rotateToken(db, agent, by, Date.now())
  if (!rotated.ok) return
  storm.note({ kind: 'void', at: Date.now(), agent: agent.id, token: old })
  // It goes on with the old one for a moment, as a machine that nobody has told yet.
  await sleep(storm.pause)
  agent.token = rotated.value.token
}

async function wish(
  storm: Storm,
  db: Db,
  agent: Reporter,
  version: string | null = storm.pick([...versions, null]),
): Promise<void> {
  if (agent.version === null) return
  const line = { kind: 'wish', at: Date.now(), agent: agent.id, desired: version, runtime: null, served: null } as const
  const now = Date.now()
  const made = version === null ? clearBlueprint(db, agent, by, now) : wishBlueprint(db, agent, { version }, by, now)
  const done = await made.then(
    () => Date.now(),
    () => Infinity,
  )
  storm.note({ ...line, done })
}

/** Issues codes, and for each lets several machines preview and redeem it through several nodes. */
export async function install(
  storm: Storm,
  db: Db,
  workspace: { id: string },
  codes: Map<string, string>,
): Promise<void> {
  for (let n = 0; !storm.over(); n++) {
    const wanted = { blueprint: 'mail', version: '1.0.0', agentName: `installed-${n % 14}` }
    const issued = await issueCode(db, workspace, wanted, by, Date.now()).catch(() => undefined)
    if (issued?.ok) {
      const { code, row } = issued.value
      codes.set(code, row.id)
      const { blueprint, version, sha256, agent_name } = row
      const names = { blueprint, version, sha256, agentName: agent_name }
      storm.note({ kind: 'issue', at: Date.now(), code, names })
      const unknown = `svc_inst_${'x'.repeat(code.length - 9)}`
      await Promise.all([
        call(storm, 'preview', code),
        ...[1, 2, 3].map(() => call(storm, 'redeem', code)),
        call(storm, 'redeem', unknown),
      ])
      await call(storm, 'preview', code)
    }
    await sleep(storm.pause * 2)
  }
}

async function call(storm: Storm, kind: 'preview' | 'redeem', code: string): Promise<void> {
  const path = `/api/agent/v1/install${kind === 'preview' ? '/preview' : ''}`
  const reply = await storm.post(path, { code })
  if (!reply) return
  const { blueprint, version, agentName, agent, sha256 } = reply.json as Named & { agent?: { name: string } }
  const names = reply.status === 200 ? { blueprint, version, agentName: agent?.name ?? agentName, sha256 } : undefined
  const body = kind === 'redeem' && reply.status === 200 ? '' : reply.text
  storm.note({ kind, at: Date.now(), code, status: reply.status, body, names })
}
