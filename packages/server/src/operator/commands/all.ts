/** Every command of `svc-server` except those that run without a service, such as `start` and `restore` (main.ts). */
import type { OperatorCommand } from '../shared/command.ts'
import { actionCommands } from './action.ts'
import { agentCommands } from './agent.ts'
import { alertCommands } from './alert.ts'
import { auditCommands } from './audit.ts'
import { backupCommands } from './backup.ts'
import { blueprintCommands } from './blueprint.ts'
import { botCommands } from './bot.ts'
import { channelCommands } from './channel.ts'
import { codeCommands } from './code.ts'
import { commandCommands } from './command.ts'
import { databaseCommands } from './database.ts'
import { logCommands } from './log.ts'
import { memberCommands } from './member.ts'
import { personCommands } from './person.ts'
import { productCommands } from './product.ts'
import { releaseCommands } from './release.ts'
import { rolloutCommands } from './rollout.ts'
import { secretCommands } from './secret.ts'
import { viewCommands } from './view.ts'
import { wishCommands } from './wish.ts'
import { workspaceCommands } from './workspace.ts'

export const commands: Readonly<Record<string, OperatorCommand>> = {
  ...workspaceCommands,
  ...personCommands,
  ...memberCommands,
  ...agentCommands,
  ...viewCommands,
  ...commandCommands,
  ...actionCommands,
  ...logCommands,
  ...productCommands,
  ...blueprintCommands,
  ...codeCommands,
  ...botCommands,
  ...wishCommands,
  ...rolloutCommands,
  ...alertCommands,
  ...channelCommands,
  ...releaseCommands,
  ...auditCommands,
  ...secretCommands,
  ...databaseCommands,
  ...backupCommands,
}
