/** Dialogs about an agent as a thing of its workspace; the fleet and the agent's page both use them. */
export { AddAgentDialog } from './AddAgentDialog.tsx'
export { DeleteDialog } from './DeleteDialog.tsx'
export { RenameDialog } from './RenameDialog.tsx'
export { type AgentDialogProps, RotateDialog } from './RotateDialog.tsx'
