/** `svc run` without the other commands, with the same exit codes. */
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
