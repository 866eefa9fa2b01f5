/**
 * `svc remove`: removes an agent from this machine. The command shows what it will delete and what it will leave, and
 * asks first. If a removal was killed halfway, the command can be repeated.
 */
import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sizeText } from '@svc/protocol'
import { Command } from 'commander'
import { showCrontabBackup } from '../../host/adopt/table.ts'
import { findUnits, type ServiceUnit } from '../../install/service/find.ts'
import { uninstallService } from '../../install/service/units.ts'
import { readConnection } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { holderName, tryLockOnFullDisk, whoHolds } from '../../machine/files/lock.ts'
import { examples } from '../../machine/hint.ts'
import { isAlive } from '../../machine/process/identity.ts'
import { readManifestNow } from '../../reporter/manifest.ts'
import { type Install, readInstall, unreadableInstall } from '../../state/install-note.ts'
import { confirm, isInteractive } from '../kit/ask.ts'
import { type CommonOptions, existingFolder, withCommonOptions } from '../kit/folder.ts'
import { exits, oneLine, printResult, Refusal, warn } from '../kit/output.ts'
import { stopAgent } from '../run/start.ts'

type RemoveOptions = CommonOptions & { readonly yes?: boolean; readonly keepState?: boolean }

/**
 * The plan of a removal. `paths` are in the order of their deletion: `.svc` is last, since without it nothing says that
 * the folder belongs to an agent.
 */
interface Plan {
  readonly agent: string
  /** The address of the service, in which a person must delete the agent too. */
  readonly service: string | undefined
  readonly units: readonly ServiceUnit[]
  readonly paths: readonly string[]
  /**
   * The names in the agent's folder that stay: files that do not belong to svc and, with --keep-state, the folder
   * `state`.
   */
  readonly stays: readonly string[]
}

export const remove = (): Command =>
  withCommonOptions(new Command('remove'))
    .option('--yes', 'do not ask')
    .option('--keep-state', 'keep the folder state/, which holds the data of the agent')
    .summary('remove this agent from this machine')
    .description(
      'Shows what it would remove and asks first: the service unit, the process, and the folder of an agent that was installed with a code.\nFor an agent of your own, only .svc/ is removed and its files stay. To remove the agent from the service, delete it there.',
    )
    .addHelpText('after', examples('remove --dir /srv/mail-triage'))
    .action(run)

async function run({ dir, json, yes, keepState }: RemoveOptions): Promise<void> {
  const folder = existingFolder(dir)
  const plan = removalPlan(folder, keepState === true)
  if (!yes) {
    warn(plannedLines(plan, folder).join('\n'))
    if (json || !isInteractive()) throw new Refusal('Nothing was removed. Add --yes to remove it.', exits.usage)
    if (!(await confirm('Remove it?'))) throw new Refusal('Nothing was removed.')
  }
  await carryOutRemoval(folder, plan)
  const { agent, units, stays } = plan
  const isFolderGone = !existsSync(folder.root)
  printResult(
    json,
    { removed: true, agent, dir: folder.root, folderRemoved: isFolderGone, units: units.map((u) => u.name), stays },
    () => removedLines(folder, plan),
  )
}

/** Stops the agent, and deletes what the plan lists. */
export async function carryOutRemoval(folder: Folder, plan: Plan): Promise<void> {
  const manifest = readManifestNow(folder)
  await stopAgent({ folder, manifest: manifest.ok ? manifest.value : undefined })
  for (const unit of plan.units) await uninstallService(unit)
  showCrontabBackup(folder)
  clear(folder, plan)
}

/** The lines that `svc remove` prints after the removal. */
export const removedLines = (folder: Folder, { agent, service, stays }: Plan): string[] => [
  existsSync(folder.root)
    ? `Removed ${agent}; in ${folder.root} stays: ${oneLine(stays.join(', '))}.`
    : `Removed ${agent} and ${folder.root}.`,
  ...(service ? [`It is still listed in ${service}: delete the agent ${agent} there.`] : []),
]

export function removalPlan(folder: Folder, keepState: boolean): Plan {
  if (!existsSync(folder.svc)) throw new Refusal(`There is no svc agent in ${folder.root}.`)
  const install = readInstall(folder)
  if (install?.is === 'made' && isAlive(install))
    throw new Refusal(`Process ${install.pid} is installing into ${folder.root}.`)
  const holder = whoHolds(folder, 'runtime')
  if (holder && holder.what !== 'svc run')
    throw new Refusal(`${holderName(holder)} is at work in this folder; stop it first.`)
  const connection = readConnection(folder)
  const installed = install !== undefined || unreadableInstall(folder) !== undefined
  const versions = installed ? [folder.current, folder.versions] : []
  const paths = [...versions, ...(installed && !keepState ? [folder.state] : []), folder.svc]
  return {
    agent: nameOf(folder, install),
    service: connection.ok ? connection.value.origin : install?.url,
    units: findUnits(folder),
    paths: paths.filter((path) => existsSync(path) || path === folder.current),
    stays: readdirSync(folder.root).filter((name) => !paths.includes(join(folder.root, name))),
  }
}

function nameOf(folder: Folder, install: Install | undefined): string {
  if (install) return install.agent
  const manifest = readManifestNow(folder)
  return manifest.ok ? manifest.value.name : 'the agent'
}

/** The lines that `svc remove` prints before it removes anything: the parts that it will remove, and what stays. */
export function plannedLines({ agent, units, paths, stays }: Plan, folder: Folder): string[] {
  const runs = whoHolds(folder, 'runtime')
  return [
    `This removes ${agent} from this machine:`,
    ...units.map(({ name, file }) => `  the service ${name} (${file})`),
    ...(runs ? [`  its process and its runtime (process ${runs.pid}), which are stopped first`] : []),
    ...paths
      .filter((path) => existsSync(path))
      .map((path) => `  ${path}${path === folder.state ? `: ${sizeOf(path)}, the agent's data` : ''}`),
    stays.length === 0 ? `  ${folder.root} itself` : `In ${folder.root} stays: ${oneLine(stays.join(', '))}.`,
    'It cannot be undone. Its secrets and its token are removed with it.',
  ]
}

function sizeOf(path: string): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce(
    (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  return `${files.length} ${files.length === 1 ? 'file' : 'files'}, ${sizeText(bytes)}`
}

/**
 * Deletes the paths of the plan, and then the agent's folder if it is empty. Meanwhile `svc remove` holds the runtime's
 * lock, so that nobody starts the agent.
 */
function clear(folder: Folder, { paths, stays }: Plan): void {
  const lock = tryLockOnFullDisk(folder, 'runtime', 'svc remove')
  if (!lock.ok)
    throw new Refusal(`${holderName(lock.holder)} started to work in this folder meanwhile. Nothing was deleted.`)
  for (const path of paths) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  if (stays.length > 0) return
  try {
    rmdirSync(folder.root)
  } catch {
    // Somebody has put something into the folder meanwhile, so the folder stays.
  }
}
