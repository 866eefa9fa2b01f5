/** The reports of an agent of the simulated fleet, and how the agent obeys commands. Pure functions. */
import type { Ack, ReceivedCommand, Report, Run } from '@svc/protocol'
import { share } from '../coder-simulated/work.mts'
import { detailPrefix, type Member } from './members.ts'
import { firstUpdateState, type UpdateState } from './updates.ts'

/** The pauses, requested runs and updates of an agent since the demo began. Times are in Unix seconds. */
export interface AgentHistory {
  /** The start of the demo. An agent with trouble has finished no run since then. */
  readonly since: number
  readonly pauses: readonly { readonly from: number; readonly to?: number }[]
  /** The starts of the runs that people asked for. */
  readonly asked: readonly number[]
  readonly update: UpdateState
}

const [minute, hour, day] = [60, 3600, 86_400]
/** The days of history in an agent's first report. */
export const historyDays = 7
/** The number of runs in every later report. */
const laterRuns = 3
const periods = [6 * hour, 8 * hour, 12 * hour, 24 * hour] as const
const flapSeconds = 10 * minute
/** The seconds after which a condition that recovers is over. */
const recoverSeconds = 20

export const historyOf = (member: Member, now: number): AgentHistory => ({
  since: now,
  pauses: member.condition.isPaused ? [{ from: now }] : [],
  asked: [],
  update: firstUpdateState(member),
})

const isPaused = ({ pauses }: AgentHistory): boolean => pauses.some(({ to }) => to === undefined)

/** Carries out a command. The agent accepts what its state allows, as most agents do (3.6). */
export function obey(
  member: Member,
  history: AgentHistory,
  { id, type }: ReceivedCommand,
  now: number,
): { history: AgentHistory; ack: Ack } {
  const say = (message: string, changed: Partial<AgentHistory> = {}, ok = true) => ({
    history: { ...history, ...changed },
    ack: { id, ok, message },
  })
  const { pauses, asked } = history
  if (type === 'pause') return say('Paused.', isPaused(history) ? {} : { pauses: [...pauses, { from: now }] })
  if (type === 'resume') return say('Resumed.', { pauses: pauses.map(({ from, to = now }) => ({ from, to })) })
  if (type !== 'run_now') return say(`This agent does not know "${type}".`, {}, false)
  if (isPaused(history)) return say('The agent is paused.', {}, false)
  if (runningAt(member, history, now)) return say('A run is already in progress.')
  return say('Started a run.', { asked: [...asked, now] })
}

/** The report of an agent. The first one has the runs of seven days, so that charts have more than one bar. */
export function reportOf(member: Member, history: AgentHistory, now: number, isFirst: boolean): Report {
  const { work, host, condition } = member
  const { version, applied } = history.update
  const runs = runsAt(member, history, now)
  const running = runs.find(({ ended }) => ended === undefined)
  const state = stateOf(member, history, now, running)
  const waiting = Math.floor(share(member.seed, Math.floor(now / minute)) * 40)
  return {
    protocol: 1,
    agent: { version, host },
    ...(applied && { applied }),
    state,
    health: [
      condition.state && state.level === condition.state.level
        ? { name: work.health, level: state.level, detail: prefixed(condition.state.detail) }
        : { name: work.health, level: 'ok', detail: prefixed('it answers.') },
    ],
    active: running ? [activeOf(member, running, now)] : [],
    gauges: [{ name: 'Queue', used: waiting / 50, mark: 0.9, detail: prefixed(`${waiting} ${work.many} wait`) }],
    runs: isFirst ? runs : runs.slice(0, laterRuns),
    panels: [{ type: 'text', title: 'Simulated', lines: ['The demo invents everything about this agent.'] }],
    controls: ['pause', 'resume', 'run_now'],
  }
}

const prefixed = (detail: string): string => `${detailPrefix}${detail}`

function stateOf(
  { seed, work, condition: { state, flaps, recovers } }: Member,
  history: AgentHistory,
  now: number,
  running: Run | undefined,
): NonNullable<Report['state']> {
  if (isPaused(history)) return { level: 'info', label: 'Paused', detail: prefixed('paused until somebody resumes.') }
  const isGone =
    (flaps && share(seed, Math.floor(now / flapSeconds)) < 0.25) || (recovers && now >= history.since + recoverSeconds)
  const { trial } = history.update
  if (trial) return { level: 'ok', label: `Trying ${trial.version}`, detail: prefixed('it watches its new version.') }
  if (state && !isGone && !(running && state.level === 'info')) return { ...state, detail: prefixed(state.detail) }
  if (!running)
    return {
      level: 'ok',
      label: 'Waiting',
      detail: prefixed(`the next run begins at ${clockOf(nextStart(seed, now))} UTC.`),
    }
  const [done, all] = progress(seed, running, now)
  return { level: 'ok', label: work.label, detail: prefixed(`${done} of ${all} ${work.many} done`) }
}

/** The number of subjects that a run has handled, and of all its subjects. */
function progress(seed: number, { started = 0 }: Run, now: number): [done: number, all: number] {
  const all = 10 + Math.floor(share(seed, started) * 80)
  return [Math.min(all - 1, Math.floor(((now - started) / durationOf(seed, started)) * all)), all]
}

const activeOf = ({ seed, work }: Member, run: Run, now: number) => {
  const [done, all] = progress(seed, run, now)
  return {
    kind: work.run,
    ...(work.models[0] !== undefined && { model: work.models[0] }),
    started: run.started ?? now,
    steps: done,
    detail: prefixed(`${done} of ${all} ${work.many} done`),
    subjects: run.subjects ?? [],
  }
}

const runningAt = (member: Member, history: AgentHistory, now: number): boolean =>
  runsAt(member, history, now).some(({ ended }) => ended === undefined)

/** The runs of the last days, newest first. The last one may be in progress. */
function runsAt(member: Member, history: AgentHistory, now: number): Run[] {
  const { seed } = member
  const starts = [...history.asked]
  const period = periodOf(seed)
  const newest = nextStart(seed, now) - period
  const oldest = history.since - historyDays * day
  for (let started = newest; started >= oldest; started -= period)
    if (!isKeptBack(member, history, started)) starts.push(started)
  return starts.sort((a, b) => b - a).map((started) => runOf(member, history, started, now))
}

const periodOf = (seed: number): number => periods[Math.floor(share(seed, 5) * periods.length)] ?? day

/** The next start by the agent's schedule. */
function nextStart(seed: number, now: number): number {
  const period = periodOf(seed)
  return now + period - ((now - Math.floor(share(seed, 6) * period)) % period)
}

/** The time of day in UTC, such as `14:05`. */
const clockOf = (at: number): string => new Date(at * 1000).toISOString().slice(11, 16)

/** True if the agent did not begin the run that was due at `started`, because it was paused or in trouble. */
const isKeptBack = ({ seed, condition }: Member, { since, pauses }: AgentHistory, started: number): boolean =>
  pauses.some(({ from, to = Infinity }) => from <= started && started < to) ||
  (condition.state?.level === 'bad' && started + durationOf(seed, started) >= since)

const durationOf = (seed: number, started: number): number =>
  10 * minute + Math.floor(share(seed, started + 1) * 40 * minute)

/** A run as it is at a time: its cost grows while it is in progress, and a pause interrupts it. */
function runOf({ seed, work }: Member, { pauses }: AgentHistory, started: number, now: number): Run {
  const planned = started + durationOf(seed, started)
  const interrupted = pauses.find(({ from }) => started < from && from < planned)?.from
  const end = interrupted ?? planned
  const isOver = end <= now
  const outcome = interrupted !== undefined ? 'interrupted' : share(seed, started + 4) < 0.05 ? 'failed' : 'done'
  const done = (Math.min(end, now) - started) / (planned - started)
  const number = 1000 + Math.floor(share(seed, started + 3) * 8000)
  return {
    id: `${work.run}-${started}`,
    kind: work.run,
    status: isOver ? outcome : 'running',
    started,
    ...(isOver && { ended: end }),
    ...costsOf(work, work.dollars * (0.5 + share(seed, started + 2)) * done),
    subjects: [{ title: `Simulated ${work.subject} ${number}`, share: 1 }],
  }
}

/** The costs of a run; none if the work needs no model. Of two models the first costs most. */
function costsOf({ models: [first, second] }: Member['work'], dollars: number): Partial<Run> {
  if (first === undefined) return {}
  const rest = second === undefined ? 0 : cents(dollars * 0.2)
  const models = { [first]: cents(dollars - rest), ...(second !== undefined && { [second]: rest }) }
  return { cost_usd: cents(dollars), output_tokens: Math.round(dollars * 20_000), models }
}

/** Rounds an amount in US dollars. */
const cents = (dollars: number): number => Math.round(dollars * 10_000) / 10_000
