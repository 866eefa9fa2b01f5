import { lazyPart } from '../../ui/files.tsx'
/**
 * The dialogs that the page of an agent opens: to rename it, to change its tags, to delete it, and to rotate its token.
 * They are loaded when they are first needed, so mount them inside `Suspense` and not before.
 */

export const DeleteDialog = lazyPart(async () => ({ default: (await import('./DeleteDialog.tsx')).DeleteDialog }))
export const RenameDialog = lazyPart(async () => ({ default: (await import('./RenameDialog.tsx')).RenameDialog }))
export const RotateDialog = lazyPart(async () => ({ default: (await import('./RotateDialog.tsx')).RotateDialog }))
export const TagsDialog = lazyPart(async () => ({ default: (await import('./TagsDialog.tsx')).TagsDialog }))
