import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The paths of the programs and helpers that tests run with Node. */
export interface Programs {
  readonly svc: string
  readonly server: string
  /** Runs only the part of the service that agents use: packages/server/testing/serve.ts. */
  readonly serve: string
  /**
   * A helper that is loaded before `svc` and kills it at a chosen change of the disk:
   * packages/runtime/testing/kill-at.ts.
   */
  readonly killAt: string
  /**
   * The file with the parts that all builds of `svc.pyz` share (packages/runtime/archive/parts.ts), if the test run has
   * made one.
   */
  readonly sharedBuild?: string
}
export const sources: Programs = {
  svc: join(root, 'packages/runtime/src/main.ts'),
  server: join(root, 'packages/server/src/main.ts'),
  serve: join(root, 'packages/server/testing/serve.ts'),
  killAt: join(root, 'packages/runtime/testing/kill-at.ts'),
}
