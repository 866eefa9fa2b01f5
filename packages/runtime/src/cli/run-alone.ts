/** `svc run` without the other commands, ended as they end. */
import type { Common } from './common.ts'
import { exitOf } from './output.ts'
import { runAgent } from './run-agent.ts'

export const runAlone = (how: Common): Promise<void> =>
  runAgent(how).catch((error) => {
    process.exitCode = exitOf(error)
  })
