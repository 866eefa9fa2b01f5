/** `svc why`: which state the agent is in, and who or what put it there. Offline. */
import { Command } from 'commander'
import { byWhom } from '../state/changes.ts'
import { ago, moment } from '../time.ts'
import { type Facts, factsOf } from './facts.ts'
import { agentAt, type Common, common } from './folder.ts'
import { oneLine, show } from './output.ts'
import { reported } from './status.ts'

export const why = (): Command =>
  common(new Command('why'))
    .summary('explain the state of this agent and who put it there')
    .description('Explains, without the service, which state the agent is in, who or what put it there, and when.')
    .addHelpText('after', '\nExample:\n  $ svc why')
    .action(({ dir, json }: Common) => {
      const facts = factsOf(agentAt(dir))
      const reasons = explain(facts, Date.now() / 1000)
      show(json, { state: facts.pause ? 'paused' : 'not paused', pause: facts.pause ?? null, reasons }, () => reasons)
    })

/** Sentences, the weightiest first. */
export function explain(f: Facts, now: number): string[] {
  return [...pauseSentences(f), ...agentSentences(f, now), ...settingSentences(f), ...reporterSentences(f, now)].map(
    oneLine,
  )
}

function pauseSentences({ name, pause, changes }: Facts): string[] {
  if (pause?.author)
    return [`${name} is paused since ${moment(pause.since)}, ${byWhom(pause.author)}. "svc resume" ends it.`]
  if (pause)
    return [`${name} is paused since ${moment(pause.since)}: somebody made .svc/paused by hand. "svc resume" ends it.`]
  const { paused } = changes
  if (!paused) return [`${name} is not paused, and has not been paused through svc.`]
  if (paused.to)
    return [
      `${name} is not paused. It was, from ${moment(paused.at)}, ${byWhom(paused)}; .svc/paused was then removed by hand.`,
    ]
  return [`${name} is not paused. It was resumed ${moment(paused.at)}, ${byWhom(paused)}.`]
}

function agentSentences(f: Facts, now: number): string[] {
  const by = f.changes.run_now
  const asked = `It was asked to run now${by ? ` ${moment(by.at)}, ${byWhom(by)},` : ''} and has not begun yet: .svc/run_now is still there.`
  const waits = f.runNow ? [asked] : []
  const runs =
    f.active.length > 0
      ? [`${f.active.length === 1 ? 'One run is' : `${f.active.length} runs are`} in progress by its own account.`]
      : []
  if (!f.statusFile) return [...waits, 'It names no status file, so nothing more is known of it.']
  if (f.written === undefined)
    return [...waits, `It has not written ${f.statusFile} yet, so it has not said how it is.`]
  const said = f.state
    ? `It says of itself: ${f.state.level} ${f.state.label ?? ''} ${f.state.detail ?? ''}`.trimEnd()
    : 'It says nothing of its state'
  const bad = f.health.filter((h) => h.level === 'bad' || h.level === 'warn')
  return [
    ...waits,
    `${said} (${f.statusFile}, written ${ago(now - f.written)}).`,
    ...runs,
    ...bad.map((h) => `Health ${h.level}: ${h.name ?? ''} ${h.detail ?? ''}`),
  ]
}

const settingSentences = ({ changes }: Facts): string[] =>
  Object.entries(changes.settings).map(
    ([key, author]) => `The setting ${key} was last set ${moment(author.at)}, ${byWhom(author)}.`,
  )

function reporterSentences(f: Facts, now: number): string[] {
  if (f.notConnected) return [f.notConnected]
  return [
    f.reporter
      ? `The reporter runs since ${moment(f.reporter.since)} (process ${f.reporter.pid}); reports to ${f.service}: ${reported(f, now)}.`
      : `No reporter runs, so the service hears nothing; reports to ${f.service}: ${reported(f, now)}.`,
  ]
}
