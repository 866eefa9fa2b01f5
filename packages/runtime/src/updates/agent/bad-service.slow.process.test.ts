/**
 * Tests that an update needs the service only for the bundle (3.3, I24). After that the service may be unreachable,
 * slow, lie or limit calls, and the result is the same. `npm test` leaves this out.
 * packages/runtime/src/updates/agent/listening.test.ts proves the same rules.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackedBundle } from '@svc/blueprint'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { badAnswers, nonsense } from '../../../testing/bad.ts'
import { bundle } from '../../../testing/blueprint.ts'
import { becomes, starts } from '../../../testing/folder.ts'
import { type InstalledAgent, installedAgent } from '../../../testing/installed.ts'
import { json, type Reply, startService } from '../../../testing/service.ts'
import { expectWhole, learnFiles, offerBundles, serves, versionOf } from '../../../testing/updates.ts'
import { versionFolderName } from '../../state/versions/folders.ts'
import { readUpdate } from './journal.ts'

const scale = 0.02

/**
 * The files of an agent that reports the level in its file `level-<version>`; without that file it reports no level.
 */
const obeys = (version: string) => ({
  'main.cjs': `const fs=require('node:fs'),at=(n)=>process.env.SVC_STATE_DIR+'/'+n
fs.appendFileSync(at('starts'),JSON.stringify({pid:process.pid,cwd:process.cwd()})+'\\n')
setInterval(()=>{if(!fs.existsSync(at('level-${version}')))return
const level=fs.readFileSync(at('level-${version}'),'utf8')
fs.writeFileSync(at('status.json.new'),JSON.stringify({state:{level,label:'Obeys'}}));fs.renameSync(at('status.json.new'),at('status.json'))},20)
`,
})

/** A reply for a service that answers each call with the next of these replies, in turn. */
function inTurn(replies: readonly Reply[]): Reply {
  let at = 0
  return (...call) => replies[at++ % replies.length]?.(...call)
}
const desired = (version: string, blueprint = 'mail-triage') =>
  json({ commands: nonsense, interval: 5, desired: { blueprint, version } })
const never: Reply = () => {}
const ways = ['is slow', 'limits calls', 'lies', 'is dead'] as const
type Way = (typeof ways)[number]
/** The replies of a bad service, by the way in which it is bad. `agent` is updated meanwhile. */
const badReplies = (agent: InstalledAgent): Readonly<Record<Way, Reply>> => {
  // A wish for something else ends an update whose version is not in place yet (D31), so it is sent only afterwards.
  const later =
    (wish: Reply): Reply =>
    (...call) =>
      (isInPlace(agent) ? wish : json({}, 503))(...call)
  return {
    'is slow': inTurn(
      badAnswers('http://127.0.0.1:9/')
        .slice(0, 2)
        .map(([, reply]) => reply),
    ),
    'limits calls': inTurn([json({}, 429), json({}, 503)]),
    lies: inTurn([
      ...badAnswers('http://127.0.0.1:9/')
        .slice(2)
        .map(([, reply]) => reply),
      later(desired('../../etc')),
      later(desired('9.9.9', 'other')),
    ]),
    'is dead': never,
  }
}
const isInPlace = (agent: InstalledAgent): boolean => {
  const { state = 'idle' } = readUpdate(agent) ?? {}
  return state !== 'fetching' && state !== 'staging' && state !== 'swapping'
}

test(`while it is proved, watched and undone the service ${ways.join(', ')}: the result is the same`, () =>
  Promise.all([inWorld(['is slow', 'limits calls']), inWorld(['lies', 'is dead'])]))

async function inWorld(hows: readonly Way[]): Promise<void> {
  const service = await startService()
  afterThisTest(() => service.close())
  service.other = json({ id: 'ws-1' })
  const old = await learnFiles(await bundle())
  const agent = await installedAgent(service)
  afterThisTest(() => agent.remove())
  const bundles: Record<string, PackedBundle | Reply> = {}
  const offered = offerBundles(service, bundles)
  const good = service.other
  offered.wish(undefined)
  const running = starts(agent, ['run'], { scale })
  afterThisTest(() => running.end('SIGKILL'))
  await becomes('the old version', () => agent.starts().length === 1)
  const ran = [old]
  const bad = badReplies(agent)

  /** Makes the service wish a version, and behave badly once the bundle of that version is sent. */
  async function named(version: string, seconds: number, reply: Reply, then: () => unknown): Promise<PackedBundle> {
    const packed = await learnFiles(await versionOf(version, obeys(version), undefined, seconds))
    bundles[version] = (response, came, socket) => {
      response.on('finish', () => {
        service.usual = service.other = reply
        then()
      })
      serves(packed)(response, came, socket)
    }
    service.other = good
    offered.wish(version)
    ran.push(packed, old)
    return packed
  }
  async function back(version: string, packed: PackedBundle, reason: RegExp): Promise<void> {
    await becomes(
      `${version} is back`,
      () => readUpdate(agent)?.state === 'idle' && readUpdate(agent)?.hold?.version === version,
    )
    expect(readUpdate(agent)).toMatchObject({ running: { version: '1.4.0' }, applied: { outcome: 'rolled_back' } })
    expect(readUpdate(agent)?.applied?.message).toMatch(reason)
    expect(expectWhole(agent, [old, packed])).toBe('1.4.0')
    await becomes('the old version runs', () => agent.starts().length === ran.length)
    expect(agent.starts().map(({ cwd }) => cwd.slice(-32))).toEqual(ran.map(({ sha256 }) => versionFolderName(sha256)))
  }

  let minor = 0
  for (const how of hows) {
    const reply = bad[how]
    const version = `2.${minor++}.0`
    writeFileSync(join(agent.state, `level-${version}`), 'ok')
    const dies = how === 'is dead' ? () => void service.close() : () => {}
    const packed = await named(version, 1500, reply, dies)
    await becomes(`${how}: kept`, () => readUpdate(agent)?.applied?.version === version).catch((error: unknown) => {
      throw new Error(`${error}\n${running.lines.join('\n')}`)
    })
    const { length } = service.reports
    if (how === 'is dead') await becomes('it is watched for minutes', () => (readUpdate(agent)?.window?.ran ?? 0) > 50)
    else await service.reported(length + 3)
    expect(readUpdate(agent), how).toMatchObject({ state: 'watching', running: { version } })
    writeFileSync(join(agent.state, `level-${version}`), 'bad')
    await back(version, packed, /worse/)
    if (how === 'lies') {
      const mute = '3.0.0'
      await back(mute, await named(mute, 60, reply, dies), /health check of 60 s: it wrote no status/)
    }
  }
  await running.end()
}
