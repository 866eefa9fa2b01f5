import type { Folder } from '../../machine/files/folder.ts'
import { diskHealth } from '../../reporter/status/disk.ts'

/**
 * A sentence about a full or nearly full disk, with a space before it; '' if there is room. A message that another
 * process of svc did not do something ends with it, since that process can only tell its log.
 */
export function diskNote(folder: Folder): string {
  const [disk] = diskHealth(folder)
  return disk ? ` ${disk.detail}` : ''
}
