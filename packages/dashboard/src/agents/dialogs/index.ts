import { lazyPart } from '../../ui/files.tsx'
/**
 * The dialogs that the page of an agent opens. Their code is loaded when they are first mounted, so mount them inside
 * `Suspense`, and only when one is needed.
 */

export const DeleteDialog = lazyPart(async () => ({ default: (await import('./DeleteDialog.tsx')).DeleteDialog }))
export const RenameDialog = lazyPart(async () => ({ default: (await import('./RenameDialog.tsx')).RenameDialog }))
export const RotateDialog = lazyPart(async () => ({ default: (await import('./RotateDialog.tsx')).RotateDialog }))
export const TagsDialog = lazyPart(async () => ({ default: (await import('./TagsDialog.tsx')).TagsDialog }))
