/**
 * A service that gives out one bundle for one install code, an empty folder on this machine, and checks of that folder
 * after `svc init` was killed.
 */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PackedBundle } from '@svc/blueprint'
import { expect } from 'vitest'
import { type Folder, folderAt } from '../src/machine/files/folder.ts'
import { type Install, readInstall } from '../src/state/install-note.ts'
import { code, handsOut } from './blueprint.ts'
import { type Ran, svc, token } from './folder.ts'
import { password } from './installed.ts'
import { type Service, startService } from './service.ts'

export interface InstallSetup {
  readonly service: Service
  readonly count: { redeemed: number }
  readonly above: Folder
  readonly agent: Folder
  remove(): Promise<void>
}

export async function newInstallSetup(packed: PackedBundle): Promise<InstallSetup> {
  const service = await startService()
  const count = handsOut(service, packed)
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-init-')))
  const remove = async () => {
    await service.close()
    rmSync(root, { recursive: true, force: true })
  }
  return { service, count, above: folderAt(root), agent: folderAt(join(root, 'mail-triage')), remove }
}

export const initArgs = ({ service }: InstallSetup): string[] => ['init', '--url', service.origin, '--code', code]

/**
 * When `svc init` was killed: before it noted that it sends the install code (`before`), between that note and the
 * sending (`noted`), or after the sending. In the last case the value is the step that `svc init` had noted.
 */
export type KillMoment = 'before' | 'noted' | Install['is']

/**
 * Checks the state that a killed `svc init` left (docs/decisions/kills.md). If the install code was not sent, the next
 * installation works; if the sending was noted but did not happen, it works once the person has done what the message
 * says. If the code was sent, either everything is installed, or nothing starts and the message says what to do.
 */
export async function expectStandsAsSaid(w: InstallSetup, where: string): Promise<KillMoment> {
  const { agent } = w
  const sent = w.count.redeemed > 0
  const noted = !sent && readInstall(agent)?.is === 'redeeming'
  if (noted) {
    await expectRefused(w, where)
    rmSync(agent.root, { recursive: true })
  }
  if (!sent) await expectStillGood(w, where)
  const is = readInstall(agent)?.is
  expect(sent ? ['redeeming', 'redeemed', 'installed'] : ['installed'], where).toContain(is)
  const why = await svc(agent, ['why'])
  if (is === 'installed') {
    expect(why.code, where).toBe(0)
    expect(readFileSync(agent.secrets, 'utf8'), where).toContain(password)
    expect(readFileSync(agent.env, 'utf8'), where).toContain(token)
  } else await expectRefused(w, where)
  expect(w.count.redeemed, `${where}: the code is sent once`).toBe(1)
  if (existsSync(agent.current))
    expect(statSync(join(agent.current, 'svc.agent.yaml')).isFile(), `${where}: I17`).toBe(true)
  const seed = join(agent.state, 'seed.json')
  if (existsSync(seed)) expect(readFileSync(seed, 'utf8'), `${where}: I20, no partial seed`).toBe('{"seed":true}\n')
  return noted ? 'noted' : sent && is ? is : 'before'
}

async function expectStillGood(w: InstallSetup, where: string): Promise<void> {
  const again = await svc(w.above, initArgs(w), { env: { MAIL_PASSWORD: password } })
  expect(again, where).toMatchObject<Partial<Ran>>({ code: 0 })
}

async function expectRefused({ agent }: InstallSetup, where: string): Promise<void> {
  for (const command of ['start', 'run']) {
    const refused = await svc(agent, [command])
    expect(refused.code, `${where}: svc ${command}`).toBe(1)
    expect(refused.err, `${where}: svc ${command}`).toMatch(/delete it there|Delete the agent there/)
  }
}
