/** The command `svc-server restore`: it restores a backup. It runs without a service, directly on the data folder. */
import { resolve } from 'node:path'
import { renewAccess } from '../../operator/backup/renew.ts'
import { type RestoreFacts, restoreBackup } from '../../operator/backup/restore.ts'
import type { RevivedKind, RevivedNames } from '../../operator/backup/revived.ts'
import {
  grantedToOperator,
  type OperatorRequest,
  option,
  RefusedError,
  UsageError,
} from '../../operator/shared/request.ts'
import { oneSafeLine, tableText } from '../../operator/shared/show.ts'
import { adoptSecret } from '../../platform/agreed.ts'
import type { Config } from '../../platform/base.ts'
import { createDataFolder, holderOf, lockFolder } from '../../platform/data-folder.ts'
import { openService } from '../open.ts'

type RestoreResult = Partial<RestoreFacts> & Pick<RestoreFacts, 'agents' | 'revived' | 'unknown'>

export async function restore(request: Omit<OperatorRequest, 'input'>, config: Config): Promise<RestoreResult> {
  const [file] = request.args
  const tokensOf = agentsNamed(option({ ...request, input: '' }, 'tokensOf'))
  if (request.options.tokensOnly) {
    if (file !== undefined) throw new UsageError('--tokens-only restores no file.')
    return { agents: await newTokens(config, tokensOf), revived: null, unknown: 'nothing was put aside' }
  }
  if (file === undefined) throw new UsageError('Name the backup: svc-server restore FILE')
  if (config.databaseUrl !== undefined)
    throw new RefusedError(
      'This service keeps its data in PostgreSQL: put the dump back with pg_restore or psql, then run: svc-server restore --tokens-only',
    )
  createDataFolder(config.dataDir)
  const lock = lockFolder(config.dataDir)
  if (!lock) throw running(config)
  try {
    return grantedToOperator(await restoreBackup(config.dataDir, resolve(file), tokensOf, Date.now()))
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
    const agents = grantedToOperator(await renewAccess(opened.store.db, { tokensOf, now: Date.now() }))
    if (opened.store.engine === 'postgres') await adoptSecret(opened.store, config.dataDir)
    return agents
  } finally {
    await opened.close()
  }
}

const running = ({ dataDir }: Config) =>
  new RefusedError(`The data folder ${dataDir} is in use by ${holderOf(dataDir)}: stop the service first.`)

function agentsNamed(list: string | undefined): string[] | undefined {
  const names = list?.split(/[\s,]+/).filter(Boolean)
  if (names?.length === 0) throw new UsageError('Name the agents: --tokens-of SLUG/NAME,SLUG/NAME…')
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
      tableText(
        ['AGENT', 'TOKEN'],
        agents.map(({ agent, token }) => [agent, token]),
        '',
      ),
    )
  return lines.join('\n')
}

/** The maximum number of names in one line; `--json` has all of them. */
const maxNames = 20

/**
 * For each kind of access that ended since the backup: its heading in the output, and how to end it or give it again.
 */
const words: Record<RevivedKind, readonly [says: string, remedy: string]> = {
  peopleDeleted: [
    'People deleted since, who are there again, disabled',
    'svc-server person delete EMAIL, or person enable EMAIL',
  ],
  peopleDisabled: ['People disabled since, who stay disabled', 'svc-server person enable EMAIL'],
  addresses: ['People who have an earlier address again', 'svc-server person disable EMAIL'],
  passwords: ['People who have an earlier password again', 'svc-server person reset EMAIL'],
  factors: [
    'People whose second factor, removed or replaced since, is there again',
    'svc-server person reset-factor EMAIL',
  ],
  recoveryCodes: [
    'People with recovery codes that were used or replaced since, and stay void',
    'they make new ones on the page',
  ],
  connections: [
    'People who were disconnected from the sign-in provider since, and stay so',
    'they connect their accounts on the page',
  ],
  passkeys: ['People with passkeys that were removed since, and stay removed', 'they add new ones on the page'],
  workspaces: ['Workspaces deleted since, which are there again', 'svc-server workspace delete SLUG'],
  members: [
    'Members removed since, who are there again, and members who are admins again',
    'svc-server member remove SLUG EMAIL, or member role SLUG EMAIL member',
  ],
  agents: ['Agents deleted since, which are there again, with new tokens', 'svc-server agent delete SLUG/NAME'],
  botTokens: ['Bots with tokens revoked since, which stay revoked', 'a new install code makes new ones'],
  products: [
    'Products removed since, which are there again, or replaced since, with the later secret',
    'svc-server product remove ID',
  ],
  channels: ['Channels deleted since, which get messages again', 'svc-server channel remove SLUG/NAME'],
  requirements: [
    'Workspaces whose admins have needed a second factor since, and still do',
    'svc-server workspace require-factor SLUG off',
  ],
}

export function revivedLines(revived: RevivedNames): string[] {
  const kinds = (Object.keys(words) as RevivedKind[]).filter((kind) => revived[kind].length > 0)
  if (kinds.length === 0) return ['The previous data shows nothing that was ended since the backup and is valid again.']
  return [
    'According to the previous data, this ended since the backup:',
    ...kinds.map((kind) => `- ${words[kind][0]} (${words[kind][1]}): ${list(revived[kind])}`),
  ]
}

function list(names: readonly string[]): string {
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more (--json has all)` : ''
  return names.slice(0, maxNames).map(oneSafeLine).join(', ') + more
}

/**
 * The checks that a person has to make if it is not known what ended since the backup; `why` says why it is not known.
 */
export const unknownLines = (why: string): string[] => [
  `What was ended since the backup is not known, because the previous data cannot tell: ${oneSafeLine(why)}. Check by hand:`,
  '- people who were disabled or deleted are there and can sign in: svc-server person list, person disable EMAIL',
  '- passwords, second factors and recovery codes that were replaced, removed or used are good again: svc-server person reset EMAIL, person reset-factor EMAIL',
  '- workspaces that were deleted are there: svc-server workspace list, workspace delete SLUG',
  '- members who were removed are there, and former admins are admins: svc-server member list SLUG',
  '- agents, products and channels that were deleted are there: svc-server agent list SLUG, product list, channel list SLUG',
  '- tokens of bots that were revoked are good: svc-server bot list SLUG, bot revoke SLUG/NAME',
]
