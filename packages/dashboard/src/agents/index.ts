/** The dialogs that the page of an agent opens: to rename it, to delete it, and to rotate its token. */
export { DeleteDialog } from './DeleteDialog.tsx'
export { RenameDialog } from './RenameDialog.tsx'
export { RotateDialog } from './RotateDialog.tsx'
