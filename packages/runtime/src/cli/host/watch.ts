/** `svc watch`: the program of the host agent. The runtime starts it in the folder that `svc adopt` made. */
import { resolve } from 'node:path'
import { Command } from 'commander'
import { hideCrontabBackup } from '../../host/adopt/table.ts'
import { aiPaths } from '../../host/watch/ai-section.ts'
import { watchHost } from '../../host/watch/watch.ts'
import { messageOf } from '../../machine/base/errors.ts'
import { folderAt } from '../../machine/files/folder.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { warn } from '../kit/output.ts'

export const watchCommand = (): Command =>
  new Command('watch')
    .summary('report what runs on this machine by itself, as the host agent does')
    .description(
      `The program of the host agent, which "${commandHint('adopt')}" makes. It writes state/status.json in its folder until it is stopped: SVC_AGENT_DIR or, without it, the current folder.`,
    )
    .addHelpText('after', examples('watch'))
    .action(async () => {
      const place = folderAt(process.env.SVC_AGENT_DIR || '.')
      const folder = { ...place, state: process.env.SVC_STATE_DIR || place.state }
      const jobs = process.env.SVC_JOBS_DIR || resolve(folder.state, 'jobs')
      const stop = new AbortController()
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
      try {
        hideCrontabBackup(folder)
      } catch (error) {
        warn(messageOf(error))
      }
      await watchHost({ folder, jobs, ai: aiPaths(folder, process.env) }, stop.signal, warn)
    })
