/** `svc why`: says which state the agent is in, and which person or rule caused it. The command needs no network. */
import { Command } from 'commander'
import { processWord } from '../../launcher/now.ts'
import { withStop } from '../../machine/base/sentence.ts'
import { agoText, readScale, timeText } from '../../machine/base/time.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { changedBy } from '../../state/changes.ts'
import { processStateSentence } from '../../state/process-health.ts'
import { updateSentences, wishSentences } from '../../updates/agent/now.ts'
import { runtimeSentences } from '../../updates/runtime/now.ts'
import { agentAt, type CommonOptions, withCommonOptions } from '../kit/folder.ts'
import { oneLine, printResult } from '../kit/output.ts'
import { type AgentFacts, readAgentFacts, reportingText } from './facts.ts'

export const why = (): Command =>
  withCommonOptions(new Command('why'))
    .summary('explain the state of this agent and its cause')
    .description('Explains, without the service, which state the agent is in, who or what caused it, and when.')
    .addHelpText('after', examples('why'))
    .action(async ({ dir, json }: CommonOptions) => {
      const facts = readAgentFacts(await agentAt(dir))
      const reasons = explainState(facts, Date.now() / 1000)
      printResult(
        json,
        {
          state: facts.pause ? 'paused' : 'not paused',
          pause: facts.pause ?? null,
          running: facts.process ? processWord(facts.process) : null,
          process: facts.process?.state ?? null,
          version: facts.version,
          update: facts.update ?? null,
          blueprint: facts.install?.is === 'installed' ? facts.install.blueprint : null,
          runtime: facts.runtime,
          reasons,
        },
        () => reasons,
      )
    })

/** Returns sentences that explain the state of the agent, most important first. */
export function explainState(f: AgentFacts, now: number): string[] {
  return [
    ...(f.pause ? pauseSentences(f) : []),
    ...processSentences(f),
    ...healthSentences(f.disk),
    ...(f.pause ? [] : pauseSentences(f)),
    ...versionSentences(f),
    ...(f.unitFault ? [`Its unit: ${f.unitFault}.`] : []),
    ...(f.standstill ? [f.standstill] : []),
    ...updateAndWishSentences(f, now * 1000),
    ...(f.lacking ? [`Secrets: ${f.lacking}.`] : []),
    ...agentSentences(f, now),
    ...healthSentences(f.bindings),
    ...settingSentences(f),
    ...reporterSentences(f, now),
    ...runtimeSentences(f.runtime),
  ].map(oneLine)
}

function processSentences(f: AgentFacts): string[] {
  return f.managed ? [processSentence(f)] : []
}

/** Says whether the agent's process runs, and which rule or person is the reason. */
export function processSentence({ process, stopped }: Pick<AgentFacts, 'process' | 'stopped'>): string {
  if (!process) return `It has not been started here yet; "${commandHint('start')}" starts it.`
  const { state, alive, halt, runtime } = process
  if (runtime) {
    const policy =
      state.is === 'waiting' && state.exit
        ? ` The wait doubles with each start that does not last 5 s, from 1 s to 5 min; "${commandHint('run-now')}" or "${commandHint('restart')}" starts it sooner.`
        : ''
    return `${processStateSentence(state, halt)}${policy}`
  }
  if (alive)
    return `Its process runs, but its runtime does not: it was killed. "${commandHint('start')}" takes the process over without ending it.`
  if (state.is === 'stopped' && state.because === 'asked')
    return `It ${stopped ? `has been stopped since ${timeText(stopped.at)}, ${changedBy(stopped)}` : 'is stopped'}. "${commandHint('start')}" starts it.`
  if (state.is === 'stopped')
    return `${processStateSentence(state)} Its runtime does not run either; "${commandHint('start')}" starts both.`
  return `Neither its process nor its runtime is there: both were killed, or the machine was restarted. "${commandHint('start')}" starts them.`
}

function versionSentences({ install, version }: AgentFacts): string[] {
  if (install?.is !== 'installed') return []
  return [
    `It is ${install.blueprint} ${version}, installed ${timeText(install.at)}${install.version === version ? '' : ` as ${install.version}`} from ${install.url} as "${install.agent}".`,
  ]
}

function updateAndWishSentences({ update, blueprint, desired }: AgentFacts, at: number): string[] {
  const scale = readScale(process.env.SVC_TIME_SCALE)
  return update
    ? [...updateSentences(update, at, scale), ...wishSentences(desired, { blueprint, now: update, at, scale })]
    : []
}

function pauseSentences({ name, pause, changes }: AgentFacts): string[] {
  if (pause?.author)
    return [
      `${name} has been paused since ${timeText(pause.since)}, ${changedBy(pause.author)}. "${commandHint('resume')}" ends it.`,
    ]
  if (pause)
    return [
      `${name} has been paused since ${timeText(pause.since)}: someone created .svc/paused by hand. "${commandHint('resume')}" ends it.`,
    ]
  const { paused } = changes
  if (!paused) return [`${name} is not paused, and has not been paused through svc.`]
  if (paused.to)
    return [
      `${name} is not paused. It was, from ${timeText(paused.at)}, ${changedBy(paused)}; .svc/paused was then removed by hand.`,
    ]
  return [`${name} is not paused. It was resumed ${timeText(paused.at)}, ${changedBy(paused)}.`]
}

function agentSentences(f: AgentFacts, now: number): string[] {
  const by = f.changes.run_now
  const asked = `It was asked to run now${by ? ` ${timeText(by.at)}, ${changedBy(by)},` : ''} and has not started yet: .svc/run_now is still there.`
  const waits = f.runNow ? [asked] : []
  const runs =
    f.active.length > 0
      ? [
          `${f.active.length === 1 ? 'One run is' : `${f.active.length} runs are`} in progress according to the agent${f.old && f.written !== undefined ? ` of ${agoText(now - f.written)}` : ''}.`,
        ]
      : []
  if (!f.statusFile) return [...waits, 'Its manifest names no status file, so nothing more is known.']
  if (f.unreadStatus !== undefined)
    return [...waits, `Its status is unknown, because ${f.statusFile} ${f.unreadStatus}.`]
  if (f.written === undefined) return [...waits, `It has not written ${f.statusFile} yet, so its status is unknown.`]
  const file = `${f.statusFile}, written ${agoText(now - f.written)}`
  const said = f.state
    ? `Its state ${f.old ? 'was' : 'is'} ${f.state.level} (${file})${[f.state.label, f.state.detail].map((each) => (each ? `: ${each}` : '')).join('')}`
    : `It reports no state (${file}).`
  return [...waits, said, ...runs, ...healthSentences(f.health)]
}

const healthSentences = (items: AgentFacts['health']): string[] =>
  items
    .filter((h) => h.level === 'bad' || h.level === 'warn')
    .map((h) => withStop(`Health ${h.level}: ${[h.name, h.detail].filter(Boolean).join(': ')}`))

const settingSentences = ({ changes }: AgentFacts): string[] =>
  Object.entries(changes.settings).map(
    ([key, author]) => `The setting ${key} was last set ${timeText(author.at)}, ${changedBy(author)}.`,
  )

function reporterSentences(f: AgentFacts, now: number): string[] {
  if (f.notConnected) return [f.notConnected]
  return [
    f.reporter
      ? `The ${f.managed ? 'runtime' : 'reporter'} has been running since ${timeText(f.reporter.since)} (process ${f.reporter.pid}); reports to ${f.service}: ${reportingText(f, now)}.`
      : `No ${f.managed ? 'runtime' : 'reporter'} is running, so the service gets no reports; reports to ${f.service}: ${reportingText(f, now)}.`,
  ]
}
