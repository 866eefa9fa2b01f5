/**
 * The projects of the tests, one for each way in which a file's name ends: `*.test.ts` tests pure code,
 * `*.store.test.ts` both database engines, `*.http.test.ts` routes over real HTTP, `*.process.test.ts` real processes,
 * `*.browser.test.ts` a real browser. `npm test` (scripts/test.ts) runs the tests of processes beside all others, and
 * leaves out the files whose names have `.slow.` before the kind. `*.machine.test.ts` (containers and machines that
 * boot) and `*.ai.test.ts` (the command lines of AI tools) have commands of their own, such as `npm run test:ai`.
 */
import { defineConfig } from 'vitest/config'
import { level } from './testing/level.ts'
import { LongestFirst } from './testing/longest-first.ts'
import { places } from './testing/places.ts'
import { enterOwnWorld } from './testing/world.ts'

enterOwnWorld()

const seconds = 1000
/**
 * SVC_TIME_FLOOR is the minimum in real seconds of a duration that tests have shortened. It is off, except where a test
 * sets it.
 */
const env = { SVC_TIME_FLOOR: '0' }
/** The time limit of `expect.poll`. It is long because the machine may be busy. */
const patient = { poll: { timeout: 20 * seconds } }
const kinds = ['store', 'http', 'process', 'browser', 'machine', 'ai'] as const
const programs = 'testing/programs-once.ts'
const sqlite = 'packages/server/testing/sqlite-once.ts'
const globalSetup: Partial<Record<(typeof kinds)[number], string | string[]>> = {
  store: [sqlite, 'packages/server/testing/postgres-once.ts'],
  http: sqlite,
  process: programs,
  browser: programs,
  machine: 'testing/machines/once.ts',
}
/** The time limit of a test. */
const minutes = { store: 1, http: 1, process: 2, browser: 2, machine: 10, ai: 5 }
const setupFiles = ['testing/cpu-per-file.ts', 'testing/cleaning-per-file.ts']
/** Tests whose process opens stores also watch that no query is made beside an open transaction. */
const watching = 'packages/server/testing/beside.ts'
/**
 * The test files of one kind share a worker, which loads each module once. The files listed here get a worker of their
 * own, because they replace a module, or functions of Node, before other modules load them.
 */
const alone = ['**/judge.process.test.ts', '**/updates/agent/faults.slow.process.test.ts']
const files = (ending: string) => places.map((place) => `${place}/**/*${ending}`)
const slow = '**/*.slow.*'
const never = ['**/node_modules/**', '**/dist/**', '**/svc-data/**', ...(level === 'short' ? [slow] : [])]

function project(
  name: string,
  kind: (typeof kinds)[number],
  more: { include: string[]; exclude?: string[]; isolate?: true },
) {
  const timeout = minutes[kind] * 60 * seconds
  return {
    test: {
      name,
      env,
      exclude: never,
      expect: patient,
      testTimeout: timeout,
      hookTimeout: timeout,
      isolate: false,
      setupFiles: kind === 'browser' ? setupFiles : [...setupFiles, watching],
      ...(globalSetup[kind] && { globalSetup: globalSetup[kind] }),
      ...more,
    },
  }
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          env,
          isolate: false,
          setupFiles,
          include: files('.test.{ts,tsx}'),
          exclude: [...never, ...kinds.map((kind) => `**/*.${kind}.test.{ts,tsx}`)],
          expect: patient,
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
      ...kinds.map((kind) =>
        project(kind, kind, { include: files(`.${kind}.test.{ts,tsx}`), exclude: [...never, ...alone] }),
      ),
      project('process-alone', 'process', { include: alone, isolate: true }),
    ],
  },
})
