/**
 * The tests, in projects by the ending of a file. `npm test` (scripts/test.ts) runs them in this order, the last two together:
 * `*.test.ts` pure code, `*.store.test.ts` both database engines, `*.http.test.ts` routes over real HTTP,
 * `*.process.test.ts` real processes, `*.browser.test.ts` a real browser.
 */
import { defineConfig } from 'vitest/config'

const seconds = 1000
/** Tests shorten everything; a floor of real seconds is tested where it is set. */
const env = { SVC_TIME_FLOOR: '0' }
/** What is polled may take its time on a busy machine. */
const patient = { poll: { timeout: 20 * seconds } }
const kinds = ['store', 'http', 'process', 'browser'] as const
const places = ['packages', 'docs', 'conformance', 'scripts', 'examples', 'bench']
const programs = 'scripts/testing/programs-once.ts'
const globalSetup: Partial<Record<(typeof kinds)[number], string>> = {
  store: 'packages/server/testing/postgres-once.ts',
  process: programs,
  browser: programs,
}
const files = (ending: string) => places.map((place) => `${place}/**/*${ending}`)
const never = ['**/node_modules/**', '**/dist/**', '**/svc-data/**']

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          env,
          include: files('.test.{ts,tsx}'),
          exclude: [...never, ...kinds.map((kind) => `**/*.${kind}.test.{ts,tsx}`)],
          expect: patient,
          testTimeout: 10 * seconds,
          hookTimeout: 10 * seconds,
        },
      },
      ...kinds.map((kind) => {
        const timeout = (kind === 'process' || kind === 'browser' ? 120 : 60) * seconds
        return {
          test: {
            name: kind,
            env,
            include: files(`.${kind}.test.{ts,tsx}`),
            exclude: never,
            expect: patient,
            testTimeout: timeout,
            hookTimeout: timeout,
            ...(globalSetup[kind] && { globalSetup: globalSetup[kind] }),
          },
        }
      }),
    ],
  },
})
