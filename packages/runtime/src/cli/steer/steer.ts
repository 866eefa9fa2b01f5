/** `svc pause`, `resume` and `run-now`: change the same files as the commands from the service do (1, rule 4). */
import { Command } from 'commander'
import { timeText } from '../../machine/base/time.ts'
import { whoHolds, withTurn, withTurnOnFullDisk } from '../../machine/files/lock.ts'
import { examples } from '../../machine/hint.ts'
import { changedBy } from '../../state/changes.ts'
import { pause, readPause, requestRun, resume } from '../../state/controls.ts'
import { type AgentOnDisk, agentAt, type CommonOptions, currentAuthor, withCommonOptions } from '../kit/folder.ts'
import { printResult, Refusal } from '../kit/output.ts'
import { endLeftProcesses, requireGone, requirePaused } from '../run/end.ts'

export const pauseCommand = (): Command =>
  withCommonOptions(new Command('pause'))
    .summary('pause this agent')
    .description(
      'Pauses the agent: it starts nothing new while the file .svc/paused exists. It is the same pause as from the service.\nIf svc starts the agent, everything that the agent started is ended before the command returns.',
    )
    .addHelpText('after', examples('pause --dir /srv/mail-triage'))
    .action(async ({ dir, json }: CommonOptions) => {
      const agent = await agentAt(dir)
      const { folder, manifest } = agent
      if (!manifest.controls.includes('pause')) throw new Refusal(`${manifest.name} does not offer pause.`)
      const changed = withTurnOnFullDisk(folder, 'svc pause', () => pause(folder, currentAuthor()))
      await rest(agent)
      const current = readPause(folder)
      printResult(json, { paused: true, changed, since: current?.since, ...current?.author }, () =>
        changed
          ? 'Paused.'
          : `Already paused since ${timeText(current?.since ?? 0)}${current?.author ? ` ${changedBy(current.author)}` : ''}.`,
      )
    })

/** Waits until a paused agent that svc starts has ended. If no runtime runs, ends what a killed runtime left. */
async function rest(agent: AgentOnDisk): Promise<void> {
  const { folder, manifest } = agent
  if (!manifest.runtime) return
  const holder = whoHolds(folder, 'runtime')
  if (holder?.what === 'svc run') return requirePaused(agent)
  if (holder) return // A reporter does not start the agent, and a command that stops the agent ends everything itself.
  await endLeftProcesses(agent, { what: 'svc pause' })
  requireGone(folder, 'Paused.')
}

export const resumeCommand = (): Command =>
  withCommonOptions(new Command('resume'))
    .summary('end a pause')
    .description('Ends a pause, whoever started it.')
    .addHelpText('after', examples('resume'))
    .action(async ({ dir, json }: CommonOptions) => {
      const { folder } = await agentAt(dir)
      const changed = withTurnOnFullDisk(folder, 'svc resume', () => resume(folder, currentAuthor()))
      printResult(json, { paused: false, changed }, () => (changed ? 'Resumed.' : 'It was not paused.'))
    })

export const runNowCommand = (): Command =>
  withCommonOptions(new Command('run-now'))
    .summary('ask this agent to run now')
    .description(
      'Asks the agent to run now: it finds the file .svc/run_now and removes it when it starts. Refused while the agent is paused.',
    )
    .addHelpText('after', examples('run-now'))
    .action(async ({ dir, json }: CommonOptions) => {
      const { folder, manifest } = await agentAt(dir)
      if (!manifest.controls.includes('run_now')) throw new Refusal(`${manifest.name} does not offer run_now.`)
      const changed = withTurn(folder, 'svc run-now', () => {
        if (readPause(folder)) throw new Refusal('Paused. Resume first.')
        return requestRun(folder, currentAuthor())
      })
      printResult(json, { asked: true, changed }, () =>
        changed ? 'Asked to run now.' : 'Already asked; the agent has not started yet.',
      )
    })
