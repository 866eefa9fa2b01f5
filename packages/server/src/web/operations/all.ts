/** All operations, each bound to the function that carries it out. */
import { accountOperations, factorOperations, personalOperations } from './account.ts'
import { agentOperations, viewOperations } from './agents.ts'
import { alertOperations } from './alerts.ts'
import { blueprintOperations } from './blueprints.ts'
import { actionOperations, commandOperations } from './commands.ts'
import { historyOperations } from './history.ts'
import { rolloutOperations, updateOperations } from './updates.ts'
import { workspaceOperations } from './workspaces.ts'

export const boundOperations = [
  ...accountOperations,
  ...factorOperations,
  ...workspaceOperations,
  ...agentOperations,
  ...viewOperations,
  ...historyOperations,
  ...commandOperations,
  ...actionOperations,
  ...updateOperations,
  ...rolloutOperations,
  ...alertOperations,
  ...personalOperations,
  ...blueprintOperations,
]
