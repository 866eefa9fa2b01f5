/** The sentences of a restore about what it brought back. */

import type { Revived, RevivedKind } from '../../operator/backup/revived.ts'
import { line } from '../../operator/shared/show.ts'

/** The most names in one line; `--json` has all of them. */
const maxNames = 20

/** The words about each kind, and the command for the case that it should not be so. */
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
    'People of whose recovery codes those used or replaced since are void',
    'they make new ones on the page',
  ],
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

export function revivedLines(revived: Revived): string[] {
  const kinds = (Object.keys(words) as RevivedKind[]).filter((kind) => revived[kind].length > 0)
  if (kinds.length === 0) return ['The previous data shows nothing that was ended since the backup and is valid again.']
  return [
    'According to the previous data, this ended since the backup:',
    ...kinds.map((kind) => `- ${words[kind][0]} (${words[kind][1]}): ${list(revived[kind])}`),
  ]
}

function list(names: readonly string[]): string {
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more (--json has all)` : ''
  return names.slice(0, maxNames).map(line).join(', ') + more
}

/** The checks by hand, where nothing says what was ended since the backup; `why` is about the previous data. */
export const unknownLines = (why: string): string[] => [
  `What was ended since the backup is not known, because the previous data cannot tell: ${line(why)}. Check by hand:`,
  '- people who were disabled or deleted are there and can sign in: svc-server person list, person disable EMAIL',
  '- passwords, second factors and recovery codes that were replaced, removed or used are good again: svc-server person reset EMAIL, person reset-factor EMAIL',
  '- workspaces that were deleted are there: svc-server workspace list, workspace delete SLUG',
  '- members who were removed are there, and former admins are admins: svc-server member list SLUG',
  '- agents, products and channels that were deleted are there: svc-server agent list SLUG, product list, channel list SLUG',
  '- tokens of bots that were revoked are good: svc-server bot list SLUG, bot revoke SLUG/NAME',
]
