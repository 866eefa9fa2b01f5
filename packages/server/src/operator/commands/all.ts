/** Every command of `svc-server` except those that run without a service, such as `start` and `restore` (main.ts). */
import type { OperatorCommand } from '../shared/command.ts'
import { actionCommands } from './action.ts'
import { agentCommands, viewCommands } from './agent.ts'
import { alertCommands } from './alert.ts'
import { assistantCommands } from './assistant.ts'
import { blueprintCommands, codeCommands } from './blueprint.ts'
import { botCommands, productCommands } from './bot.ts'
import { channelCommands } from './channel.ts'
import { commandCommands, logCommands } from './command.ts'
import { backupCommands, databaseCommands, secretCommands } from './database.ts'
import { historyCommands } from './history.ts'
import { memberCommands } from './member.ts'
import { personCommands } from './person.ts'
import { releaseCommands } from './release.ts'
import { rolloutCommands, wishCommands } from './rollout.ts'
import { auditCommands, workspaceCommands } from './workspace.ts'

export const commands: Readonly<Record<string, OperatorCommand>> = {
  ...workspaceCommands,
  ...personCommands,
  ...memberCommands,
  ...agentCommands,
  ...viewCommands,
  ...historyCommands,
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

/** Commands that `svc-server mcp` sends to the running service. The help does not list them. */
export const unlistedCommands = assistantCommands
