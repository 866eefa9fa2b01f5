/** Runs `svc run` without loading the other commands; the exit codes are the same. */
import { noteDir, noteStart } from '../hint.ts'
import type { Common } from './common.ts'
import { exitOf } from './output.ts'
import { runAgent } from './run-agent.ts'

export function runAlone(how: Common): Promise<void> {
  noteStart()
  noteDir(how.dir)
  return runAgent(how).catch((error) => {
    process.exitCode = exitOf(error)
  })
}
