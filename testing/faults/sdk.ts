/** Faults of the files of `sdk`, which people copy beside their programs. */
import type { Fault } from './fault.ts'

const [python, node] = ['sdk/python/svc_status.py', 'sdk/node/svc-status.mjs']
const [calls, wrong] = ['sdk/calls.process.test.ts', 'sdk/faults.process.test.ts']

export const sdkFaults: readonly Fault[] = [
  {
    name: 'programs: a long text is cut',
    harm: 'The page shows another text than the status file of the program.',
    file: python,
    old: 'str(value)[:10_000]))[:shape]',
    new: 'str(value)[:10_000]))',
    tests: [calls],
  },
  {
    name: 'programs: a run that was left open is interrupted',
    harm: 'A run of a program that was killed seems to go on for ever.',
    file: python,
    old: 'run if "ended" in run else',
    new: 'run if run else',
    tests: [wrong],
  },
  {
    name: 'programs: a status file is for its user only',
    harm: 'Others on the machine read the titles of what a program works on.',
    file: node,
    old: 'mode: 0o600',
    new: 'mode: 0o644',
    tests: [calls],
  },
  {
    name: 'programs: a full disk ends no program',
    harm: 'A program that worked for years ends because the disk is full.',
    file: node,
    old: 'this.#say(error?.code ?? error?.name',
    new: 'throw error\n      this.#say(error?.code ?? error?.name',
    tests: [wrong],
  },
]
