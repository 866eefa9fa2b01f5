/** Dialogs about an agent as a thing of its workspace; the fleet and the agent's page both use them. */
export { DeleteDialog } from './DeleteDialog.tsx'
export { RenameDialog } from './RenameDialog.tsx'
export { RotateDialog } from './RotateDialog.tsx'
