/** `svc sessions`: the AI sessions of this user on this machine, from the files of the tools. Nothing is written. */
import { Command } from 'commander'
import { readAdopted } from '../../host/agent/adopted.ts'
import { accountHostFolder } from '../../host/jobs/account.ts'
import { clockText } from '../../host/jobs/zone.ts'
import { toolNames } from '../../host/sessions/session.ts'
import { costOf, knownCost } from '../../host/sessions/spent.ts'
import { knownTools } from '../../host/sessions/tools.ts'
import type { JudgedSession } from '../../host/watch/ai-judge.ts'
import { costText, generalItems } from '../../host/watch/ai-part.ts'
import { type AiLook, aiPaths, chosenFolders, lookAtSessions } from '../../host/watch/ai-section.ts'
import { folderAt } from '../../machine/files/folder.ts'
import { examples } from '../../machine/hint.ts'
import { alignedColumns, printResult, Refusal } from '../kit/output.ts'

export const sessionsCommand = (): Command =>
  new Command('sessions')
    .option('--json', 'print one JSON value for programs')
    .summary('show the AI sessions of this user, and which wait for you')
    .description(
      'Shows the sessions of AI tools of the last 7 days, with their folders, which the page never shows unless you chose that. Works without the service and without a host agent. Only files of the tools are read; no tool is started.',
    )
    .addHelpText('after', examples('sessions', 'sessions --json'))
    .action(({ json }: { readonly json?: boolean }) => list(json))

function list(json: boolean | undefined): void {
  const look = lookAtSessions(...placesNow())
  printResult(
    json,
    look.judged.map((one) => shownSession(one, look)),
    () => linesOf(look),
  )
}

function placesNow(): Parameters<typeof lookAtSessions> {
  const host = accountHostFolder(process.env)
  if (host === undefined) throw new Refusal('There is no folder for svc: neither HOME nor XDG_STATE_HOME is set.')
  const folder = folderAt(host)
  const adopted = readAdopted(folder)
  const folders = chosenFolders(adopted, process.env)
  return [aiPaths(folder, process.env), { names: adopted?.names ?? 'number', folders }]
}

const shownSession = ({ session, name, since }: JudgedSession, { context }: AiLook) => {
  const { tool, number, state, pid, folder, model, spent } = session
  const cost = costOf(spent, context.prices)
  return {
    ...{ tool, name, number, state, since, pid: pid ?? null, folder: folder ?? null, model: model ?? null },
    ...{ cost: knownCost(cost) ?? null, estimated: cost.estimated !== undefined, atLeast: cost.isMinimum },
  }
}

function linesOf({ found, judged, context }: AiLook): string | string[] {
  const faults = generalItems(found, judged, context)
    .filter(({ level }) => level !== 'ok')
    .map(({ name, detail = '' }) => `(${name}) ${detail}`)
  if (judged.length === 0 && faults.length === 0)
    return `There are no AI sessions of the last 7 days. svc reads those of ${knownTools.map((tool) => toolNames[tool]).join(', ')}.`
  const rows = judged.map(({ session, name, since }) => [
    name,
    toolNames[session.tool],
    session.state,
    clockText(since, context.now, context.zone),
    session.pid === undefined ? '–' : String(session.pid),
    costText(costOf(session.spent, context.prices)),
    session.folder ?? '–',
  ])
  const table =
    rows.length === 0 ? [] : alignedColumns([['NAME', 'TOOL', 'STATE', 'SINCE', 'PID', 'COST', 'FOLDER'], ...rows])
  return [...table, ...(table.length > 0 && faults.length > 0 ? [''] : []), ...faults]
}
