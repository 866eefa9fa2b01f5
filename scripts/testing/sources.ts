import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Paths of files that Node runs. */
export interface Programs {
  readonly svc: string
  readonly server: string
}
export const sources: Programs = {
  svc: join(root, 'packages/runtime/src/main.ts'),
  server: join(root, 'packages/server/src/main.ts'),
}
