/** The command `svc-server restore`: it restores a backup. It runs without a service, directly on the data folder. */
import { resolve } from 'node:path'
import { renewAccess } from '../../operator/backup/renew.ts'
import { type Restored, restoreBackup } from '../../operator/backup/restore.ts'
import { granted, Misused, option, Refused, type Request } from '../../operator/shared/request.ts'
import { table } from '../../operator/shared/show.ts'
import { adoptSecret } from '../../platform/agreed.ts'
import type { Config } from '../../platform/base.ts'
import { createDataFolder, holderOf, lockFolder } from '../../platform/data-folder.ts'
import { openService } from '../open.ts'
import { revivedLines, unknownLines } from './restored-words.ts'

type RestoreResult = Partial<Restored> & Pick<Restored, 'agents' | 'revived' | 'unknown'>

export async function restore(request: Omit<Request, 'input'>, config: Config): Promise<RestoreResult> {
  const [file] = request.args
  const tokensOf = agentsNamed(option({ ...request, input: '' }, 'tokensOf'))
  if (request.options.tokensOnly) {
    if (file !== undefined) throw new Misused('--tokens-only restores no file.')
    return { agents: await newTokens(config, tokensOf), revived: null, unknown: 'nothing was put aside' }
  }
  if (file === undefined) throw new Misused('Name the backup: svc-server restore FILE')
  if (config.databaseUrl !== undefined)
    throw new Refused(
      'This service keeps its data in PostgreSQL: put the dump back with pg_restore or psql, then run: svc-server restore --tokens-only',
    )
  createDataFolder(config.dataDir)
  const lock = lockFolder(config.dataDir)
  if (!lock) throw running(config)
  try {
    return granted(await restoreBackup(config.dataDir, resolve(file), tokensOf, Date.now()))
  } finally {
    lock.release()
  }
}

async function newTokens(config: Config, tokensOf: string[] | undefined) {
  const opened = await openService(config, Date.now, async () => {
    throw running(config)
  })
  if (!opened) throw running(config)
  try {
    const agents = granted(await renewAccess(opened.store.db, { tokensOf, now: Date.now() }))
    if (opened.store.engine === 'postgres') await adoptSecret(opened.store, config.dataDir)
    return agents
  } finally {
    await opened.close()
  }
}

const running = ({ dataDir }: Config) =>
  new Refused(`The data folder ${dataDir} is in use by ${holderOf(dataDir)}: stop the service first.`)

function agentsNamed(list: string | undefined): string[] | undefined {
  const names = list?.split(/[\s,]+/).filter(Boolean)
  if (names?.length === 0) throw new Misused('Name the agents: --tokens-of SLUG/NAME,SLUG/NAME…')
  return names
}

export function showRestored({ file, from, version, replaced, agents, revived, unknown }: RestoreResult): string {
  const lines =
    file === undefined ? [] : [`Restored ${file}, made ${new Date(from ?? 0).toISOString()} by svc ${version}.`]
  if (replaced) lines.push(`The previous data is in ${replaced}. Remove it when you no longer need it.`)
  lines.push(
    'Everyone is signed out, open links, invitations and install codes are void, and all requested versions are cleared.',
    ...(revived ? revivedLines(revived) : unknownLines(unknown ?? 'it was not read')),
  )
  lines.push(
    agents.length === 0 ? 'No agent has a new token.' : 'New tokens, shown this once; the old ones are refused:',
  )
  if (agents.length > 0)
    lines.push(
      table(
        ['AGENT', 'TOKEN'],
        agents.map(({ agent, token }) => [agent, token]),
        '',
      ),
    )
  return lines.join('\n')
}
