/**
 * The section *ai* of the host agent's status: the sessions of AI tools. It is a pure function of what was found and a
 * time. Names of folders are in it only if the person on this machine chose that; prompts and answers never are.
 */
import { type Level, limits, type Panel, type Run } from '@svc/protocol'
import { counted } from '../../machine/base/sentence.ts'
import { clockText } from '../jobs/zone.ts'
import { type FoundTool, type SessionState, toolNames } from '../sessions/session.ts'
import {
  addTokens,
  type Cost,
  costOf,
  costOfDay,
  countOf,
  knownCost,
  modelCosts,
  noTokens,
  type Prices,
  type Tokens,
  tokensOf,
  totalCost,
} from '../sessions/spent.ts'
import type { AiJudgeContext, JudgedSession } from './ai-judge.ts'
import type { StatusPart } from './sections.ts'

/** The maximum number of items for sessions. A status keeps fifty items, and other sections need most of them. */
const maxItems = 16
const maxRuns = 150

/** Returns the part of the status about AI sessions. */
export function aiPart(
  tools: readonly FoundTool[],
  judged: readonly JudgedSession[],
  context: AiJudgeContext,
): StatusPart {
  const others = generalItems(tools, judged, context)
  return {
    health: [...sessionItems(judged), ...others],
    label: labelOf(tools, judged, others),
    active: judged.filter(isActive).slice(0, limits.active).map(activeOf),
    gauges: tools.flatMap(({ limits: shares = [] }) => shares.map((share) => gaugeOf(share, context))),
    runs: [...judged]
      .sort((a, b) => b.last - a.last)
      .slice(0, maxRuns)
      .map((one) => runOf(one, context.prices)),
    panels: tools.length === 0 ? [] : [sessionPanel(judged, context), todayPanel(tools, judged, context)],
  }
}

type Item = StatusPart['health'][number]

function sessionItems(judged: readonly JudgedSession[]): Item[] {
  const needing = judged.flatMap(({ name, level, detail }) =>
    level === undefined ? [] : [{ name: `Session ${name}`, level, detail }],
  )
  const rest = needing.slice(maxItems)
  const [worst] = rest
  if (worst === undefined) return needing
  return [
    ...needing.slice(0, maxItems),
    { name: 'Sessions', level: worst.level, detail: `${rest.length} more need you` },
  ]
}

/** The items about the tools and the settings. */
export const generalItems = (
  tools: readonly FoundTool[],
  judged: readonly JudgedSession[],
  context: AiJudgeContext,
): Item[] => [...tools.map((tool) => toolItem(tool, judged)), ...pricesItem(context)]

const isOpen = ({ session: { lives } }: JudgedSession): boolean => lives

function toolItem(
  { tool, version, sessions, elsewhere, isUnread, faults, remarks }: FoundTool,
  judged: readonly JudgedSession[],
): Item {
  const open = judged.filter((one) => one.session.tool === tool && isOpen(one)).length
  const says = [
    ...(isUnread ? [] : [`${version === undefined ? '' : `${version}: `}${open} open, ${sessions.length} in 7 days`]),
    ...(elsewhere === 0 ? [] : [`${elsewhere} elsewhere, as in a container`]),
    ...faults,
    ...remarks,
  ]
  const level: Level = faults.length > 0 ? 'warn' : remarks.length > 0 ? 'info' : 'ok'
  return { name: toolNames[tool], level, detail: says.join('; ') }
}

const pricesItem = ({ wrongPrices }: AiJudgeContext): Item[] =>
  wrongPrices === 0
    ? []
    : [
        {
          name: 'Prices',
          level: 'warn',
          detail: `${counted(wrongPrices, 'word')} in the setting cannot be read: a price is MODEL=IN/OUT/CACHED`,
        },
      ]

function labelOf(tools: readonly FoundTool[], judged: readonly JudgedSession[], others: readonly Item[]): string {
  const needing = judged.filter(({ level }) => level !== undefined)
  const shown = judged.filter((one) => isOpen(one) || one.level !== undefined).length
  const [first] = needing
  if (first !== undefined)
    return needing.length === 1
      ? `${first.name} ${shortWords[first.session.state]}`
      : `${needing.length} of ${shown} sessions need you`
  const all = shown > 0 ? counted(shown, 'session') : tools.length > 0 ? 'no open session' : 'no AI sessions yet'
  const other = others.find(({ level }) => level === 'warn')
  return other === undefined ? all : `${all}, but ${other.name} needs you`
}

/** The states of sessions, as words after the name of a session in a label. */
const shortWords: Readonly<Record<SessionState, string>> = {
  running: 'runs',
  waiting: 'waits for you',
  idle: 'is idle',
  died: 'died',
  failed: 'failed',
  over: 'ended',
}

const isActive = ({ session: { state } }: JudgedSession): boolean => state === 'running' || state === 'waiting'

const activeOf = ({ session, name, last }: JudgedSession): NonNullable<StatusPart['active']>[number] => ({
  kind: session.tool,
  ...(session.model !== undefined && { model: session.model }),
  steps: session.steps,
  started: Math.min(session.started, last),
  subjects: [{ title: name }],
  ...(session.state === 'waiting' && { detail: 'waits for you' }),
})

/** The statuses of runs. An ended session without a failure is `ok`. */
const runStatus: Readonly<Record<SessionState, string>> = {
  ...{ running: 'running', waiting: 'waiting', idle: 'idle', died: 'died', failed: 'failed', over: 'ok' },
}

function runOf({ session, name, last }: JudgedSession, prices: Prices): Run {
  const { tool, id, state, started, spent, lives } = session
  const cost = knownCost(costOf(spent, prices))
  const models = modelCosts(spent, prices)
  const { output } = tokensOf(spent.all)
  return {
    ...{ id: `${tool}:${id}`, kind: tool, status: runStatus[state], started: Math.min(started, last) },
    subjects: [{ title: name }],
    ...(!lives && { ended: last }),
    ...(output > 0 && { output_tokens: output }),
    ...(cost !== undefined && { cost_usd: rounded(cost) }),
    ...(cost !== undefined &&
      Object.keys(models).length > 0 && {
        models: Object.fromEntries(Object.entries(models).map(([model, usd]) => [model, rounded(usd)])),
      }),
  }
}

/** A cost rounded to a millionth of a dollar, the smallest cost that the service keeps. */
const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6

function gaugeOf(
  { name, used, resets }: NonNullable<FoundTool['limits']>[number],
  { now, zone }: AiJudgeContext,
): NonNullable<StatusPart['gauges']>[number] {
  return { name, used, ...(resets !== undefined && { detail: `resets ${clockText(resets, now, zone)}` }) }
}

/** The table of sessions: all that are open, that need a person, or that used tokens today. */
function sessionPanel(judged: readonly JudgedSession[], context: AiJudgeContext): Panel {
  const { now, zone, today, prices } = context
  const rows = judged.filter((one) => isOpen(one) || one.level !== undefined || one.session.spent.today.day === today)
  return {
    type: 'table',
    title: 'Sessions',
    columns: ['Name', 'Tool', 'State', 'Since', 'Model', 'Cost', 'Tokens today'],
    rows: rows
      .slice(0, limits.panelItems)
      .map(({ session, name, since }) => [
        name,
        toolNames[session.tool],
        panelWords[session.state],
        clockText(since, now, zone),
        session.model ?? '–',
        costText(costOf(session.spent, prices)),
        session.spent.today.day === today ? tokensText(tokensOf(session.spent.today.all)) : '–',
      ]),
  }
}

const panelWords: Readonly<Record<SessionState, string>> = {
  ...{ running: 'running', waiting: 'waits for you', idle: 'idle', died: 'died', failed: 'failed', over: 'ended' },
}

function todayPanel(
  tools: readonly FoundTool[],
  judged: readonly JudgedSession[],
  { today, prices }: AiJudgeContext,
): Panel {
  return {
    type: 'table',
    title: 'Today',
    columns: ['Tool', 'Cost told', 'Cost estimated', 'Tokens'],
    rows: tools.map(({ tool }) => {
      const used = judged
        .map(({ session }) => session)
        .filter((session) => session.tool === tool && session.spent.today.day === today)
        .map(({ spent }) => spent)
      const cost = totalCost(used.map((spent) => costOfDay(spent, prices)))
      const tokens = used.map((spent) => tokensOf(spent.today.all)).reduce(addTokens, noTokens)
      return [toolNames[tool], ...costCells(cost), tokensText(tokens)]
    }),
  }
}

/**
 * The reported and the estimated cost as two cells. If a part of the cost is unknown, the estimated cost or, without
 * one, the reported cost begins with `at least`.
 */
function costCells({ reported, estimated, isMinimum }: Cost): [string, string] {
  const atLeast = isMinimum ? 'at least ' : ''
  if (estimated !== undefined)
    return [reported === undefined ? '–' : usdText(reported), `${atLeast}${usdText(estimated)}`]
  return [reported === undefined ? '–' : `${atLeast}${usdText(reported)}`, '–']
}

/** A cost in words, such as `at least $0.42, estimated`; `–` if nothing is known. */
export function costText(cost: Cost): string {
  const known = knownCost(cost)
  if (known === undefined) return '–'
  return `${cost.isMinimum ? 'at least ' : ''}${usdText(known)}${cost.estimated === undefined ? '' : ', estimated'}`
}

const usdText = (usd: number): string => `$${usd > 0 && usd < 0.01 ? usd.toPrecision(2) : usd.toFixed(2)}`

const tokensText = (tokens: Tokens): string =>
  countOf(tokens) === 0 ? '–' : `${shortNumber(tokens.output)} out, ${shortNumber(tokens.input + tokens.cached)} in`

const shortNumber = (count: number): string =>
  count < 1000 ? String(count) : count < 1e6 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`
