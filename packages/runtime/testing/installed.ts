/**
 * Provides agents that were really installed with an install code, and reads what each agent recorded about its own
 * starts.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PackedBundle } from '@svc/blueprint'
import { atExit } from '../../../testing/at-exit.ts'
import { type Folder, folderAt } from '../src/machine/files/folder.ts'
import { groupLives, signalGroup } from '../src/machine/process/group.ts'
import { readNote } from '../src/state/process-note.ts'
import { bundle, code, handsOut } from './blueprint.ts'
import { svc } from './folder.ts'
import { type Service, startService } from './service.ts'

export const password = 'correct horse battery'

export interface Start {
  readonly pid: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}
export interface InstalledAgent extends Folder {
  /** Every start of the agent, as the agent itself recorded it. */
  starts(): Start[]
  trace(): string[]
  remove(): void
}

/**
 * Returns an agent in a temporary folder, in the condition in which `svc init` leaves it. `files` are added to the
 * files of its blueprint or replace them.
 */
export async function installedAgent(
  service: Service,
  files: Readonly<Record<string, string>> = {},
  productOrigin: string = service.origin,
): Promise<InstalledAgent> {
  const packed = await bundle(files)
  handsOut(service, packed, productOrigin)
  const template = await (templates.get(packed.sha256) ?? install(packed))
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'svc-installed-')))
  cpSync(template.above, above, { recursive: true, verbatimSymlinks: true })
  const agent = agentIn(join(above, 'mail-triage'), above)
  for (const file of [agent.env, agent.install])
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll(template.origin, service.origin).replaceAll(product, productOrigin),
    )
  return agent
}

interface Template {
  readonly above: string
  /** The origin of the service from which the agent was installed. */
  readonly origin: string
}
/**
 * Folders with an installed agent, by the checksum of the agent's bundle. Each bundle is installed once; each test gets
 * a copy of the folder.
 */
const templates = new Map<string, Promise<Template>>()
const product = 'http://product.invalid'

function install(packed: PackedBundle): Promise<Template> {
  const made = (async () => {
    const above = realpathSync(mkdtempSync(join(tmpdir(), 'svc-template-')))
    atExit(() => rmSync(above, { recursive: true, force: true }))
    const service = await startService()
    handsOut(service, packed, product)
    const ran = await svc({ ...folderAt(above) }, ['init', '--url', service.origin, '--code', code], {
      env: { MAIL_PASSWORD: password },
    })
    await service.close()
    if (ran.code !== 0) throw new Error(ran.err)
    return { above, origin: service.origin }
  })()
  templates.set(packed.sha256, made)
  return made
}

export function agentIn(root: string, remove = root): InstalledAgent {
  const folder = folderAt(root)
  const lines = (name: string) => {
    const file = join(folder.state, name)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  }
  const starts = () => lines('starts').map((line): Start => JSON.parse(line))
  return {
    ...folder,
    starts,
    trace: () => lines('trace'),
    remove: () => {
      const state = readNote(folder)?.state
      const pids = [...starts().map((s) => s.pid), ...(state && 'pid' in state ? [state.pid] : [])]
      for (const pid of pids) if (groupLives(pid)) signalGroup(pid, 'SIGKILL')
      rmSync(remove, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
