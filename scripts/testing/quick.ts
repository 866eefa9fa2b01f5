/** Test files that try thousands of damaged inputs. The quick run leaves them out. */
export const manyInputs = ['**/*fuzz*', '**/schemas.test.ts', '**/hostile.test.ts', '**/mutated.test.ts']

/**
 * Parts of the names of tests that the quick run leaves out: tests of a corpus, of many kill points or of the compiler,
 * and tests on PostgreSQL.
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
