/**
 * Remembers the last valid manifest while a reporter runs. If the manifest becomes invalid, a health item says so, and
 * the last valid one stays in use.
 */
import type { Manifest } from '@svc/blueprint'
import type { HealthItem } from '@svc/protocol'
import type { Folder } from '../machine/files/folder.ts'
import { readFile } from '../machine/files/read.ts'
import { manifestNow } from './known.ts'

interface Watched {
  readonly manifest: Manifest
  readonly health: readonly HealthItem[]
}

export function watchManifest(folder: Folder, first: Manifest): () => Promise<Watched> {
  let good = first
  let seen = ''
  let health: HealthItem[] = []
  return async () => {
    const read = readFile(folder.manifest, 1024 * 1024)
    const source = read.is === 'bytes' ? read.bytes.toString('latin1') : read.is
    if (source !== seen) {
      seen = source
      const now = await manifestNow(folder)
      if (now.ok) good = now.value
      health = now.ok
        ? []
        : [
            {
              name: 'Manifest',
              level: 'warn',
              detail: `The previous one stays in force. ${now.message.split('\n')[0]}`.slice(0, 300),
            },
          ]
    }
    return { manifest: good, health }
  }
}
