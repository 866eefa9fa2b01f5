import { shown } from '@svc/protocol'
import { findAgent } from '../../fleet/agents/store.ts'
import { findWorkspace, unknownWorkspace, type WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { AgentRow } from '../../platform/db/tables.ts'
import { granted, Missing, partsOf, type Service } from './request.ts'

export async function workspaceOf({ store }: Service, slug: string): Promise<WorkspaceInfo> {
  const workspace = await findWorkspace(store.db, slug)
  return workspace ?? granted(unknownWorkspace(slug))
}

/** Finds the agent that `SLUG/NAME` names. */
export async function agentOf(service: Service, path: string): Promise<{ workspace: WorkspaceInfo; agent: AgentRow }> {
  const { slug, name } = partsOf(path)
  const workspace = await workspaceOf(service, slug)
  const agent = await findAgent(service.store.db, workspace, name)
  if (!agent) throw new Missing(`There is no agent ${shown(name)} in the workspace ${shown(slug)}.`)
  return { workspace, agent }
}
