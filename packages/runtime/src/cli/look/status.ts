/** `svc status`: prints a summary of the agent from the files on this machine. */
import { activeLine } from '@svc/protocol'
import { Command } from 'commander'
import { unansweringUnit } from '../../install/service/units.ts'
import { processWord } from '../../launcher/now.ts'
import { agoText, timeText } from '../../machine/base/time.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { changedBy } from '../../state/changes.ts'
import { versionSummary } from '../../updates/agent/now.ts'
import type { RuntimeFacts } from '../../updates/runtime/now.ts'
import { agentAt, type CommonOptions, withCommonOptions } from '../kit/folder.ts'
import { oneLine, printResult } from '../kit/output.ts'
import { type AgentFacts, readAgentFacts, reportingText } from './facts.ts'
import { processSentence } from './why.ts'

export const status = (): Command =>
  withCommonOptions(new Command('status'))
    .summary('show the status of this agent')
    .description(
      'Shows what the agent says about itself, whether it is paused, and whether its reports arrive. Works without the service.',
    )
    .addHelpText('after', examples('status', 'status --dir /srv/mail-triage --json'))
    .action(async ({ dir, json }: CommonOptions) => {
      const agent = await agentAt(dir)
      const facts = readAgentFacts(agent)
      const unit = await unansweringUnit(agent.folder)
      printResult(
        json,
        {
          ...facts,
          paused: facts.pause !== undefined,
          running: facts.process && processWord(facts.process),
          ...(unit && { unit: { ...unit, answers: false } }),
        },
        () => [
          ...statusLines(facts),
          ...(unit ? [`${'Unit'.padEnd(10)}${oneLine(`${unit.file}. ${unit.message}`)}`] : []),
        ],
      )
    })

export function statusLines(f: AgentFacts): string[] {
  const now = Date.now() / 1000
  const row = (name: string, text: string) => `${name.padEnd(10)}${oneLine(text)}`
  const asOf = f.old && f.written !== undefined ? `, as of ${agoText(now - f.written)}` : ''
  const said = f.state
    ? `${f.state.label ?? f.state.level} (${f.state.level}${asOf})${f.state.detail ? `: ${f.state.detail}` : ''}`
    : undefined
  return [
    oneLine(f.name === f.blueprint ? `${f.name} ${f.version}` : `${f.name} (${f.blueprint} ${f.version})`),
    row(
      'State',
      f.pause
        ? `Paused since ${timeText(f.pause.since)}${f.pause.author ? `, ${changedBy(f.pause.author)}` : ''}`
        : (said ?? 'not reported by the agent'),
    ),
    ...(f.managed ? [row('Process', processSentence(f))] : []),
    ...(f.written === undefined ? [] : [row('Written', agoText(now - f.written))]),
    ...f.active.map((a) => row('Running', `${activeLine(a) || 'a run'}${asOf && ` (${asOf.slice(2)})`}`)),
    ...[...f.disk, ...f.health, ...f.bindings]
      .filter((h) => h.level !== 'ok')
      .map((h) => row('Health', `${h.level} ${h.name ?? ''}${h.detail ? `: ${h.detail}` : ''}`)),
    ...(f.lacking ? [row('Secrets', f.lacking)] : []),
    ...(f.standstill ? [row('Update', f.standstill)] : []),
    ...(f.update ? versionSummary(f.update, now * 1000).map((text) => row('Update', text)) : []),
    ...(f.runNow ? [row('Run now', 'requested; the agent has not started yet')] : []),
    row(
      f.managed ? 'Runtime' : 'Reporter',
      f.reporter
        ? `running (process ${f.reporter.pid}, since ${timeText(f.reporter.since)})`
        : `not running; start it with "${commandHint(f.managed ? 'start' : 'report')}"`,
    ),
    ...(f.unitFault ? [row('Unit', f.unitFault)] : []),
    row('svc', programRow(f.runtime)),
    row('Service', f.service ?? `not connected; run "${commandHint('connect --url …')}"`),
    row('Reported', reportingText(f, now)),
    ...(f.acksWaiting > 0 ? [row('Waiting', `${f.acksWaiting} answers to commands, for the next report`)] : []),
  ]
}

function programRow({ version, previous, pinned, hold, trial }: RuntimeFacts): string {
  const parts = [
    trial?.is === 'trying' && `being tested, after ${trial.from}`,
    previous !== undefined && trial?.is !== 'trying' && `${previous} is kept as the previous version`,
    pinned !== undefined && `pinned to ${pinned}`,
    hold && `${hold.version} is on hold`,
  ]
  return [version, ...parts.filter((part) => typeof part === 'string')].join('; ')
}
