/**
 * The program `svc`. It is built into `svc.pyz`, and runs from source as `node packages/runtime/src/main.ts`. The
 * launcher of `svc run` loads the same file into a thread, where it is the worker.
 */
import { isMainThread, workerData } from 'node:worker_threads'
import { plainRunOptions } from './cli/run/plain-run.ts'
import { removeAgentMark } from './machine/process/unmark.ts'

if (process.pid === 1 && isMainThread) endAtEarlySignals()
const args = process.argv.slice(2)
const isExec = args[0] === 'exec' && !asksForHelp(args)
// `svc exec` keeps the mark: the command of a job gets the environment unchanged, even if an agent runs the job.
if (!isExec) removeAgentMark()

const plain = plainRunOptions(args)
const isWorker = !isMainThread && typeof workerData === 'object' && workerData !== null && workerData.svc === 'runtime'

if (isWorker) void import('./host/agent/worker.ts').then(({ runHostWorker }) => runHostWorker())
else if (isExec) void import('./host/jobs/exec.ts').then(({ exec }) => exec(args.slice(1), undefined))
else if (plain) void import('./cli/run/run-agent.ts').then(({ runAlone }) => runAlone(plain))
else if (args[0] === '--self-check')
  void Promise.all([
    import('./updates/runtime/self-check.ts'),
    import('./host/agent/worker.ts'),
    import('./cli/run/run-agent.ts'),
    import('./host/jobs/exec.ts'),
  ]).then(([{ selfCheck }]) => selfCheck(args))
else void import('./cli/program.ts').then(({ runSvc }) => runSvc(args))

/**
 * Ends process 1 of a container at a signal as long as the command has no handlers of its own, for example while its
 * code is loaded. Without a handler, the kernel ends any other process, but not process 1.
 */
function endAtEarlySignals(): void {
  for (const [name, number] of Object.entries({ SIGTERM: 15, SIGINT: 2 }))
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + number)
    })
}

/**
 * True if `svc exec` is asked for its help. A call with `--` runs its command in any case, since a typo in front of
 * `--` must not stop a job.
 */
function asksForHelp(args: readonly string[]): boolean {
  return !args.includes('--') && args.some((arg) => arg === '--help' || arg === '-h')
}
