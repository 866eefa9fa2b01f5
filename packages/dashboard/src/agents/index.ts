/** Dialogs about an agent, used by the fleet and by the agent's page. */
export { DeleteDialog } from './DeleteDialog.tsx'
export { RenameDialog } from './RenameDialog.tsx'
export { RotateDialog } from './RotateDialog.tsx'
