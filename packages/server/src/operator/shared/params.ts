/** Finds the object that the first argument of a command names. */
import { shown } from '@svc/protocol'
import type { WorkspaceInfo } from '../../people/workspaces/store.ts'
import type { Db } from '../../platform/db/open.ts'
import {
  argument,
  type CommandCall,
  grantedToOperator,
  MissingError,
  type ServiceParts,
  UsageError,
} from './request.ts'

export async function findWorkspaceNamed({ store }: ServiceParts, slug: string): Promise<WorkspaceInfo> {
  const { findWorkspace, unknownWorkspace } = await import('../../people/workspaces/store.ts')
  return (await findWorkspace(store.db, slug)) ?? grantedToOperator(unknownWorkspace(slug))
}

/** Splits `SLUG/NAME` into a workspace and the name of something in it. `what` begins the refusal. */
export function slugAndNameOf(path: string, what: string): { slug: string; name: string } {
  const [slug, name, more] = path.split('/')
  if (!slug || !name || more !== undefined) throw new UsageError(`${what}: got ${shown(path)}.`)
  return { slug, name }
}

/** The workspace that `SLUG` names. */
export const inWorkspace = async (call: CommandCall) => ({
  workspace: await findWorkspaceNamed(call, argument(call, 0)),
})

/** The workspace that `SLUG` names, or the service itself for `@service`. */
export const inWorkspaceOrService = async (call: CommandCall) => ({
  workspace: await findWorkspaceOrService(call, argument(call, 0)),
})

async function findWorkspaceOrService(call: CommandCall, slug: string): Promise<WorkspaceInfo> {
  const { serviceAsWorkspace } = await import('../../alerts/changes/listing.ts')
  return slug === serviceAsWorkspace.slug ? serviceAsWorkspace : findWorkspaceNamed(call, slug)
}

/** The beginning of the refusal of an argument that names no agent. */
export const agentForm = 'An agent is named SLUG/NAME'

/** The agent that `SLUG/NAME` names. */
export async function onAgent(call: CommandCall) {
  const { findAgent } = await import('../../fleet/agents/store.ts')
  const { slug, name } = slugAndNameOf(argument(call, 0), agentForm)
  const workspace = await findWorkspaceNamed(call, slug)
  const agent = await findAgent(call.store.db, workspace, name)
  if (!agent) throw new MissingError(`There is no agent ${shown(name)} in the workspace ${shown(slug)}.`)
  return { workspace, agent }
}

/** The workspace, or the service for `@service`, and the name of the channel in `SLUG/NAME`. */
export async function onChannel(call: CommandCall) {
  const { slug, name: channel } = slugAndNameOf(argument(call, 0), 'A channel is named SLUG/NAME')
  return { workspace: await findWorkspaceOrService(call, slug), channel }
}

/** The workspace and the id of the action in `SLUG/ID`. */
export async function onAction(call: CommandCall) {
  const { slug, name: id } = slugAndNameOf(argument(call, 0), 'An action is named SLUG/ID')
  return { workspace: await findWorkspaceNamed(call, slug), id }
}

/** Makes a function that finds the workspace of an object by the object's id alone. */
const workspaceById =
  (find: (db: Db, id: string) => Promise<WorkspaceInfo | undefined>, missing: (id: string) => string) =>
  async (call: CommandCall) => {
    const id = argument(call, 0)
    const workspace = await find(call.store.db, id)
    if (!workspace) throw new MissingError(missing(id))
    return { workspace, id }
  }

const alertParams = (noun: 'alert' | 'mute' | 'delivery') =>
  workspaceById(
    async (db, id) => (await import('../../alerts/changes/listing.ts')).workspaceOfRow(db, noun, id),
    (id) => `There is no ${noun} ${shown(id)}.`,
  )
/** The workspace of the alert whose id the argument gives. */
export const onAlert = alertParams('alert')
/** The workspace of the mute whose id the argument gives. */
export const onMute = alertParams('mute')
/** The workspace of the delivery whose id the argument gives. */
export const onDelivery = alertParams('delivery')
/** The refusal of an id that no rollout has. */
export const unknownRolloutText = (id: string) => `There is no rollout ${shown(id)}. It may have been deleted.`
/** The workspace of the rollout whose id the argument gives. */
export const onRollout = workspaceById(
  async (db, id) => (await import('../../web/queries/rollouts.ts')).workspaceOfRollout(db, id),
  unknownRolloutText,
)
/** The workspace of the install code whose id the argument gives. */
export const onCode = workspaceById(
  async (db, id) => (await import('../../updates/installs/codes.ts')).workspaceOfCode(db, id),
  () => 'There is no such install code.',
)
