/** Every command of `svc-server` but `start` and `restore`, which run without a service (main.ts). */
import type { OperatorCommand } from './command.ts'
import { agentCommands } from './commands/agent.ts'
import { auditCommands } from './commands/audit.ts'
import { backupCommands } from './commands/backup.ts'
import { blueprintCommands } from './commands/blueprint.ts'
import { botCommands } from './commands/bot.ts'
import { codeCommands } from './commands/code.ts'
import { commandCommands } from './commands/command.ts'
import { logCommands } from './commands/log.ts'
import { memberCommands } from './commands/member.ts'
import { personCommands } from './commands/person.ts'
import { productCommands } from './commands/product.ts'
import { releaseCommands } from './commands/release.ts'
import { rolloutCommands } from './commands/rollout.ts'
import { secretCommands } from './commands/secret.ts'
import { wishCommands } from './commands/wish.ts'
import { workspaceCommands } from './commands/workspace.ts'

export const commands: Readonly<Record<string, OperatorCommand>> = {
  ...workspaceCommands,
  ...personCommands,
  ...memberCommands,
  ...agentCommands,
  ...commandCommands,
  ...logCommands,
  ...productCommands,
  ...blueprintCommands,
  ...codeCommands,
  ...botCommands,
  ...wishCommands,
  ...rolloutCommands,
  ...releaseCommands,
  ...auditCommands,
  ...secretCommands,
  ...backupCommands,
}
