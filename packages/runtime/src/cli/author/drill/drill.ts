/**
 * `svc drill`: rehearses an update of the installed version, and the rollback of that update, in a copy of the agent's
 * folder. The agent itself is not affected.
 */
import { Command } from 'commander'
import { examples } from '../../../machine/hint.ts'
import { readInstall, unfinishedInstallText, unreadableInstall } from '../../../state/install-note.ts'
import { agentAt, type CommonOptions, withCommonOptions } from '../../kit/folder.ts'
import { exits, printResult, Refusal, warn } from '../../kit/output.ts'

type DrillOptions = CommonOptions & { readonly start?: boolean; readonly withState?: boolean; readonly keep?: boolean }

export const drill = (): Command =>
  withCommonOptions(new Command('drill'))
    .option('--start', "really start the agent's command in the copy, with its secrets and tokens for products")
    .option('--with-state', 'start with a copy of the state instead of an empty one')
    .option('--keep', 'leave the copy on the disk')
    .summary('rehearse an update and a rollback in a copy of this agent')
    .description(
      'Copies the installed version into a folder of its own, updates the copy to the same files under another version, and rolls it back, with the code that carries out real updates. Reports for each step what would happen and what did. Needs no service, and the copy has no token for one. Without --start nothing is started, and the test of the new version is left out. With --start a second agent runs for some seconds, and what it does outside the copy is real. SVC_TIME_SCALE shortens every wait.',
    )
    .addHelpText('after', examples('drill', { before: 'SVC_TIME_SCALE=0.2', command: 'drill --start --json' }))
    .action(async ({ dir, json, start, withState, keep }: DrillOptions) => {
      const { folder, manifest } = await agentAt(dir)
      const broken = unfinishedInstallText(folder)
      if (broken) throw new Refusal(broken)
      const unread = unreadableInstall(folder)
      if (unread) throw new Refusal(`Nothing can be rehearsed, because ${unread}.`)
      const install = readInstall(folder)
      if (!folder.installed || install?.is !== 'installed')
        throw new Refusal(
          `${folder.root} was not installed from a blueprint, so there are no versions of it to rehearse with.`,
        )
      if (start && !manifest.runtime)
        throw new Refusal(`${manifest.name} has no "runtime", so there is nothing to start.`)
      const { makeDrillCopy } = await import('./copy.ts')
      const { rehearse } = await import('./rehearse.ts')
      const stop = new AbortController()
      const onSignal = () => stop.abort()
      process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
      const copy = await makeDrillCopy(folder, install, {
        withState: withState === true,
        withSecrets: start === true,
        keep: keep === true,
      })
      try {
        if (!json)
          warn(
            `${manifest.name} ${manifest.version} is rehearsed in ${copy.folder.root}; ${folder.root} is not touched.`,
          )
        const steps = await rehearse(copy, {
          start: start === true,
          stop: stop.signal,
          say: (line) => !json && warn(`  ${line}`),
        })
        const ok = !stop.signal.aborted && steps.every((step) => step.did !== 'failed')
        const versions = { from: copy.now.manifest.version, to: copy.next.manifest.version }
        printResult(json, { ok, ...versions, ...(keep && { copy: copy.folder.root }), steps }, () => [
          ...steps.map(({ name, would, did, message }) => {
            const [mark, word] = words[did]
            return `${mark} ${name.padEnd(9)} ${would} ${word}: ${message}${message.endsWith('.') ? '' : '.'}`
          }),
          stop.signal.aborted
            ? 'It was interrupted.'
            : ok
              ? 'An update and its rollback would work on this machine.'
              : 'A real update would fail in the same way and keep the running version.',
        ])
        if (!ok) process.exitCode = exits.refused
      } finally {
        copy.end()
        process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
      }
    })

const words = { done: ['ok  ', 'Done'], failed: ['BAD ', 'Failed'], 'left out': ['-   ', 'Left out'] } as const
