/**
 * The program `svc`. It is built into `svc.pyz`, and runs from source as `node packages/runtime/src/main.ts`. The
 * launcher of `svc run` loads the same file into its worker thread, where it is the runtime proper.
 */
import { isMainThread, workerData } from 'node:worker_threads'
import { plainRun } from './cli/plain-run.ts'
import { unmark } from './machine/process/unmark.ts'

unmark()

const args = process.argv.slice(2)
const plain = plainRun(args)
const isWorker = !isMainThread && typeof workerData === 'object' && workerData !== null && workerData.svc === 'runtime'

if (isWorker) void import('./worker/main.ts').then(({ work }) => work())
else if (plain) void import('./cli/run-alone.ts').then(({ runAlone }) => runAlone(plain))
else if (args[0] === '--self-check')
  void Promise.all([
    import('./updates/runtime/self-check.ts'),
    import('./worker/main.ts'),
    import('./cli/run-alone.ts'),
  ]).then(([{ selfCheck }]) => selfCheck(args))
else void import('./cli/program.ts').then(({ run }) => run(args))
