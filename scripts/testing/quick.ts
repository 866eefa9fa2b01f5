/** Files that the quick run leaves out: they try thousands of damaged inputs, or run on PostgreSQL. */
export const filesLeftOut = [
  '**/*fuzz*',
  '**/schemas.test.ts',
  '**/hostile.test.ts',
  '**/mutated.test.ts',
  '**/report-store/postgres/*.store.test.ts',
  '**/move.store.test.ts',
  '**/nodes.store.test.ts',
]

/**
 * Parts of the names of tests that the quick run leaves out: tests of a corpus, of many points at which a process is
 * killed, of the compiler, and on PostgreSQL.
 */
export const leftOut = [
  'PostgreSQL',
  'hostile bundle',
  'damaged bundles',
  'loss, doubling and delay',
  'struck at every change of the disk',
  'after two faults',
  'blocks nobody for long',
  'all changes of one byte',
  'reading a manifest never throws',
  'any JSON is read',
  'spellings of one file',
  'is compiled without types',
  'requests sent ahead on one connection',
  'an outage in the middle of a rollout',
  'refuses a right that ended since the request began',
  'many processes never hold the turn',
]
