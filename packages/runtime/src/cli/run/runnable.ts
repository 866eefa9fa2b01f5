/** Finds agents that svc itself can start. */
import { unfinishedInstallText } from '../../state/install-note.ts'
import { missingRuntime } from '../../worker/order.ts'
import { type AgentOnDisk, agentAt, existingFolder } from '../kit/folder.ts'
import { Refusal } from '../kit/output.ts'

/** Returns the agent in a folder. If svc cannot start this agent, refuses and says what to do. */
export async function runnableAgent(dir: string): Promise<AgentOnDisk> {
  const broken = unfinishedInstallText(existingFolder(dir))
  if (broken) throw new Refusal(broken)
  const agent = await agentAt(dir)
  if (!agent.manifest.runtime) throw new Refusal(missingRuntime(agent.folder, agent.manifest.name))
  return agent
}
