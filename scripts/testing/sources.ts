import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Paths of files that Node runs. */
export interface Programs {
  readonly svc: string
  readonly server: string
  /** Only the agents' side of the service: packages/server/testing/serve.ts. */
  readonly serve: string
  /** Loaded before `svc`: packages/runtime/testing/kill-at.ts. */
  readonly killAt: string
  /** Replaces systemd: packages/runtime/testing/systemctl.ts. */
  readonly systemctl: string
}
export const sources: Programs = {
  svc: join(root, 'packages/runtime/src/main.ts'),
  server: join(root, 'packages/server/src/main.ts'),
  serve: join(root, 'packages/server/testing/serve.ts'),
  killAt: join(root, 'packages/runtime/testing/kill-at.ts'),
  systemctl: join(root, 'packages/runtime/testing/systemctl.ts'),
}
