/** An agent that was really installed with a code, and what it notes of itself. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Folder, folderAt } from '../src/files/folder.ts'
import { readNote } from '../src/launcher/note.ts'
import { groupLives, signalGroup } from '../src/process/group.ts'
import { bundle, code, handsOut } from './blueprint.ts'
import { svc } from './folder.ts'
import type { Service } from './service.ts'

export const password = 'correct horse battery'

export interface Start {
  readonly pid: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}
export interface InstalledAgent extends Folder {
  /** Every start of the agent, by its own note. */
  starts(): Start[]
  trace(): string[]
  remove(): void
}

/** Installs into a folder of its own; `files` are those of the blueprint. */
export async function installedAgent(
  service: Service,
  files: Readonly<Record<string, string>> = {},
  productOrigin: string = service.origin,
): Promise<InstalledAgent> {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'svc-installed-')))
  handsOut(service, await bundle(files), productOrigin)
  const ran = await svc({ ...folderAt(above) }, ['init', '--url', service.origin, '--code', code], {
    env: { MAIL_PASSWORD: password },
  })
  if (ran.code !== 0) throw new Error(ran.err)
  return agentIn(join(above, 'mail-triage'), above)
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
