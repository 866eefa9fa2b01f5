/**
 * The functions behind the commands, the same that the pages call. They are loaded only where a command runs: the
 * accounts library alone takes longer to load than asking a running service.
 */

export { sentence } from '@svc/blueprint'
export { listChannels } from '../../alerts/changes/channels.ts'
export { listDeliveries } from '../../alerts/changes/deliveries.ts'
export { listAlerts, listMutes, listRules, placeOf, servicePlace } from '../../alerts/changes/listing.ts'
export { botsNamed, listBots } from '../../fleet/bots/store.ts'
export { noteReading } from '../../fleet/logs/reading.ts'
export { addProduct, listProducts, removeProduct } from '../../fleet/products/store.ts'
export { sharedView, viewsOf } from '../../fleet/views/store.ts'
export { resetFactor } from '../../people/accounts/factors.ts'
export { decide } from '../../people/accounts/library.ts'
export { createLink, linkUrl } from '../../people/accounts/links.ts'
export {
  findNamed,
  hasNoAccounts,
  insertPerson,
  listPeople,
  type Person,
  readyPerson,
  resetPassword,
  unknownPerson,
} from '../../people/accounts/store.ts'
export { requiredIn } from '../../people/factors/rules.ts'
export { goingWith } from '../../people/workspaces/delete.ts'
export { inviteAsOperator } from '../../people/workspaces/invitations.ts'
export { limitsOf, roomFor, setLimits } from '../../people/workspaces/limits.ts'
export { membersOf } from '../../people/workspaces/members.ts'
export { deletePerson, disablePerson, enablePerson, setOperator } from '../../people/workspaces/people.ts'
export { requireFactor } from '../../people/workspaces/requirement.ts'
export {
  activate,
  addMember,
  createWorkspace,
  deactivate,
  findWorkspace,
  insertMember,
  listWorkspaces,
  unknownWorkspace,
} from '../../people/workspaces/store.ts'
export { openLoss } from '../../platform/marks.ts'
export { finishAction } from '../../updates/actions/runner.ts'
export { askedSecrets } from '../../updates/blueprints/secrets.ts'
export { blueprintPage, listBlueprints } from '../../updates/blueprints/store.ts'
export { uploadBlueprint } from '../../updates/blueprints/upload.ts'
export { listCodes, workspaceOfCode } from '../../updates/installs/codes.ts'
export { readBuild, strangerTo } from '../../updates/releases/build.ts'
export { addRelease, listReleases, servedFiles, servedRelease } from '../../updates/releases/store.ts'
export { previewRollout } from '../../updates/rollouts/plan.ts'
export { cancelledAction, retriedAction, startedAction } from '../../web/operations/actions.ts'
export { addAgent, newToken, removeAgent, taggedAgents } from '../../web/operations/agents.ts'
export {
  acknowledged,
  answerOfTest,
  channelAdded,
  channelDisabled,
  channelEnabled,
  channelRemoved,
  channelTested,
  deliveryRetried,
  muted,
  ruleSet,
  unmuted,
} from '../../web/operations/alerts.ts'
export { deletedBot, deletedVersion, issuedCode, revokedBot, revokedCode } from '../../web/operations/blueprints.ts'
export { sendCommand } from '../../web/operations/commands.ts'
export {
  cancelledRollout,
  continuedRollout,
  pausedRollout,
  startedRollout,
} from '../../web/operations/rollouts.ts'
export {
  clearedBlueprint,
  clearedRuntime,
  liftedHold,
  wishedBlueprint,
  wishedRuntime,
} from '../../web/operations/updates.ts'
export { removedView, savedView } from '../../web/operations/views.ts'
export { changedRole, removedMember, removedWorkspace, renamedWorkspace } from '../../web/operations/workspaces.ts'
export { actionPage, actionsOf } from '../../web/queries/actions.ts'
export { agentSnapshot, listAgents } from '../../web/queries/agents.ts'
export { ledgerOf } from '../../web/queries/commands.ts'
export { logOf, logsOf } from '../../web/queries/logs.ts'
export { rolloutPage, rolloutsOf, workspaceOfRollout } from '../../web/queries/rollouts.ts'
export { agentUpdates } from '../../web/queries/updates.ts'
export { acceptLoss } from '../backup/accept-loss.ts'
export { writeBackup } from '../backup/backup.ts'
export { agentOf, workspaceOf } from './find.ts'
export { perform } from './perform.ts'
