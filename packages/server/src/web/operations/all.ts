/** All operations, each bound to the function that carries it out. */
import { accountOperations } from './account.ts'
import { actionOperations } from './actions.ts'
import { agentOperations } from './agents.ts'
import { alertOperations } from './alerts.ts'
import { blueprintOperations } from './blueprints.ts'
import { commandOperations } from './commands.ts'
import { factorOperations } from './factors.ts'
import { personalOperations } from './personal.ts'
import { rolloutOperations } from './rollouts.ts'
import { updateOperations } from './updates.ts'
import { viewOperations } from './views.ts'
import { workspaceOperations } from './workspaces.ts'

export const boundOperations = [
  ...accountOperations,
  ...factorOperations,
  ...workspaceOperations,
  ...agentOperations,
  ...viewOperations,
  ...commandOperations,
  ...actionOperations,
  ...updateOperations,
  ...rolloutOperations,
  ...alertOperations,
  ...personalOperations,
  ...blueprintOperations,
]
