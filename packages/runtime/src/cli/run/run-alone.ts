/** Runs `svc run` without loading the code of the other commands. The exit codes are the same as with that code. */
import { noteDir, noteStart } from '../../machine/hint.ts'
import type { Common } from '../kit/common.ts'
import { exitOf, guardOutput } from '../kit/output.ts'
import { runAgent } from './run-agent.ts'

export function runAlone(how: Common): Promise<void> {
  noteStart()
  guardOutput()
  noteDir(how.dir)
  return runAgent(how).catch((error) => {
    process.exitCode = exitOf(error)
  })
}
