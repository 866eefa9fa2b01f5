/**
 * `svc adopt`: shows on the page what already runs on this machine for this user. It looks first, says what it found,
 * and asks; the crontab is changed last, and only if a person agreed to the diff.
 */
import { hostname } from 'node:os'
import { wrongWithAgentName } from '@svc/blueprint'
import { listIn, type Report } from '@svc/protocol'
import { Command } from 'commander'
import { type CrontabFacts, readCrontabFacts } from '../../host/adopt/look.ts'
import { outputWords } from '../../host/adopt/output.ts'
import { tableDiff } from '../../host/adopt/plan.ts'
import { keptTable, replaceTable } from '../../host/adopt/table.ts'
import { type AdoptedNote, readAdopted, writeAdopted } from '../../host/agent/adopted.ts'
import { nameInManifest } from '../../host/agent/manifest.ts'
import { mendUnits } from '../../install/service/mend.ts'
import { readConnection, type ServiceConnection } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { readOutbox } from '../../reporter/outbox.ts'
import { nameFrom } from '../install/connect.ts'
import { originFrom, tokenFrom } from '../install/connecting.ts'
import { confirm, isInteractive, readPastedInput } from '../kit/ask.ts'
import { nameOfUser } from '../kit/folder.ts'
import { exits, printResult, Refusal, warn } from '../kit/output.ts'
import { connectHost, notStarted, reportNow, startHost } from './adopt-agent.ts'
import { findHostPlace, type HostPlace, installPrograms, mustInstall } from './adopt-place.ts'
import { unadopt } from './adopt-remove.ts'

interface AdoptOptions {
  readonly url?: string
  readonly tokenFile?: string
  readonly name?: string
  readonly only?: string
  readonly names?: string
  readonly crontab?: boolean
  readonly log?: boolean
  readonly yes?: boolean
  readonly start: boolean
  readonly dryRun?: boolean
  readonly remove?: boolean
  readonly json?: boolean
}

export const adopt = (): Command =>
  new Command('adopt')
    .option('--url <url>', 'the address of the service; the first time only')
    .option('--token-file <file>', 'read the token from a file; - reads it from standard input, or asks')
    .option('--name <name>', "the agent's name (default: the machine and the user, such as vela-ada)")
    .option('--only <sections>', 'what to show: jobs, so far')
    .option('--names <how>', 'how AI sessions will be named: number or folder')
    .option('--crontab', 'make jobs of the crontab lines without asking')
    .option('--log', 'keep the output of each new job in files; cron mails none of it then, and admins can request it')
    .option('--yes', 'do not ask; the crontab stays as it is without --crontab')
    .option('--no-start', 'do not start the agent')
    .option('--dry-run', 'write nothing; print the report and the change of the crontab')
    .option('--remove', 'put the crontab lines back, and remove the agent from this machine')
    .option('--json', 'print one JSON value for programs')
    .summary('show what already runs here, such as cron jobs')
    .description(
      'Shows the cron jobs of your user on the page, as one agent of this machine. A line of the crontab becomes a job only if you agree to the change, and still runs if svc is gone. Only names, times and exit codes leave the machine, never commands, nor their output unless --log is given.\nRun it again to add what is new.',
    )
    .addHelpText('after', examples('adopt --url https://svc.example.com', 'adopt --dry-run', 'adopt --remove'))
    .action(run)

async function run(options: AdoptOptions): Promise<void> {
  const chosen = chosenBy(options)
  const place = findHostPlace()
  if (options.remove) return unadopt(place.folder, options)
  const found = await readCrontabFacts(place.jobs, place.program, options.log ? '--log' : undefined)
  if (options.crontab && !found.crontab.ok) throw new Refusal(`The crontab ${found.crontab.why}. Nothing was done.`)
  const name = nameFor(place.folder, chosen.name)
  if (options.dryRun) return dryRun({ place, found, name }, options)
  const known = knownConnection(place.folder, options)
  if (!options.yes && !isInteractive())
    throw new Refusal('Nobody can be asked here. Add --yes, or run it at a terminal. Nothing was done.', exits.usage)
  warn(foundLines(found).join('\n'))
  // The token is asked for first: a person who pastes it at once, as the page says, must not answer a question with it.
  const connection = known.value ?? { origin: known.origin, token: await tokenFrom(options.tokenFile) }
  const adopted = await askSections(options, chosen, readAdopted(place.folder))
  const wraps = await askCrontab(options, place, found)
  const starts = options.start && !whoHolds(place.folder, 'runtime') && (options.yes || (await confirm(startQuestion)))
  const lines = [
    ...(await connectHost(place, { name, adopted, connection, isNew: known.value === undefined })),
    ...(await installPrograms(place)),
    ...(await mendUnits(place.folder)),
    ...(starts ? await startHost(place.folder, name) : notStarted(place.folder)),
    ...(await changeCrontab(place.folder, { found, wraps, adopted })),
  ]
  await done({ place, found, name }, { wrapped: wraps ? changesIn(found).length : 0, lines, json: options.json })
}

const startQuestion = 'Start it now, and with this machine?'

interface Adoption {
  readonly place: HostPlace
  readonly found: CrontabFacts
  /** The agent's name. */
  readonly name: string
}

/** The choices that a person made with options. */
interface ChosenOptions {
  /** True if `--only jobs` was given. */
  readonly jobs: boolean
  readonly names: AdoptedNote['names'] | undefined
  readonly name: string | undefined
}

/** Checks the options before anything is done. */
function chosenBy({ only, names, name }: AdoptOptions): ChosenOptions {
  const sections = only === undefined ? [] : listIn(only)
  const other = sections.find((section) => section !== 'jobs')
  if (other === 'ai')
    throw new Refusal(
      'This version of svc cannot show AI sessions yet. Leave out --only, or use --only jobs.',
      exits.usage,
    )
  if (other !== undefined) throw new Refusal(`--only must be jobs: got ${JSON.stringify(other)}.`, exits.usage)
  if (names !== undefined && names !== 'number' && names !== 'folder')
    throw new Refusal(`--names must be number or folder: got ${JSON.stringify(names)}.`, exits.usage)
  const called = name === undefined ? undefined : readPastedInput('The name', name)
  const wrong = called === undefined ? undefined : wrongWithAgentName(called)
  if (wrong) throw new Refusal(`--name ${wrong}: got ${JSON.stringify(called)}.`, exits.usage)
  return { jobs: sections.length > 0, names, name: called }
}

/** The name that was given, otherwise that of the agent that is there, otherwise one of the machine and the user. */
const nameFor = (folder: Folder, chosen: string | undefined): string =>
  chosen ?? nameInManifest(folder) ?? nameFrom(`${hostname().split('.')[0]}-${nameOfUser() ?? 'user'}`)

/**
 * The connection that the agent has, or the address for a new one. A connection whose token the service no longer knows
 * is made again.
 */
function knownConnection(
  folder: Folder,
  { url, tokenFile }: AdoptOptions,
): { readonly origin: string; readonly value?: ServiceConnection } {
  const given = url === undefined ? undefined : originFrom(url)
  const known = readConnection(folder)
  if (!known.ok) {
    if (given !== undefined) return { origin: given }
    throw new Refusal(
      `This machine is not connected yet, so the address of the service is needed: ${commandHint('adopt --url …')}`,
      exits.usage,
    )
  }
  const { value } = known
  if (given !== undefined && given !== value.origin)
    throw new Refusal(
      `${folder.root} is connected to ${value.origin}. Remove it first: ${commandHint('adopt --remove')}. Nothing was done.`,
    )
  const isKnown = tokenFile === undefined && readOutbox(folder)?.status !== 401
  return { origin: value.origin, ...(isKnown && { value }) }
}

function foundLines({ lines, jobs, crontab }: CrontabFacts): string[] {
  const changes = crontab.ok ? crontab.plan.changes.length : 0
  const left = crontab.ok ? crontab.plan.left : []
  return [
    `Found ${count(lines, 'crontab line')} and ${count(jobs.length, 'job')} that svc knows. ${becoming(changes)}`,
    ...(crontab.ok ? [] : [`The crontab ${crontab.why}.`]),
    ...left.map(({ number, why }) => `  Line ${number} stays as it is: it ${why}.`),
  ]
}

async function askSections(
  { yes }: AdoptOptions,
  { jobs, names }: ChosenOptions,
  before: AdoptedNote | undefined,
): Promise<AdoptedNote> {
  const shows =
    jobs || yes || before?.jobs || (await confirm('Show your jobs on the page: their names, times and exit codes?'))
  if (!shows) throw new Refusal('Nothing was done.')
  return {
    jobs: true,
    ai: before?.ai ?? false,
    names: names ?? before?.names ?? 'number',
    folders: before?.folders ?? [],
  }
}

/** Shows the change of the crontab, and asks for it. */
async function askCrontab(
  { yes, crontab, log }: AdoptOptions,
  { program }: HostPlace,
  { crontab: table }: CrontabFacts,
): Promise<boolean> {
  if (!table.ok || table.plan.changes.length === 0 || (yes && !crontab)) return false
  mustInstall(program)
  warn(tableDiff(table.plan))
  if (log) warn(outputWords.kept)
  return crontab || confirm('Change the crontab like this? Every command stays whole, and runs even if svc is gone.')
}

const changesIn = ({ crontab }: CrontabFacts) => (crontab.ok ? crontab.plan.changes : [])

async function changeCrontab(
  folder: Folder,
  { found, wraps, adopted }: { found: CrontabFacts; wraps: boolean; adopted: AdoptedNote },
): Promise<string[]> {
  const changes = changesIn(found)
  if (!found.crontab.ok || changes.length === 0) return []
  if (!wraps) return [`${count(changes.length, 'crontab line')} can become a job: ${commandHint('adopt --crontab')}`]
  await replaceTable(folder, { expected: found.crontab.text, next: found.crontab.plan.text })
  // The agent reads the crontab again when this file changes, and otherwise only every five minutes.
  writeAdopted(folder, adopted)
  return [
    `Jobs in the crontab now: ${changes.map(({ name }) => name).join(', ')}.`,
    `The table before is in ${keptTable(folder)}. ${commandHint('adopt --remove')} puts the lines back.`,
  ]
}

/** Prints what would be reported now, and how --crontab would change the crontab. */
async function dryRun(subject: Adoption, { json, log }: AdoptOptions): Promise<void> {
  const { found, place } = subject
  const { crontab } = found
  const changes = crontab.ok && crontab.plan.changes.length > 0
  const report = await reportNow(place, subject.name, changes ? crontab.plan.text : undefined)
  printResult(json, answerOf(subject, report, 0), () => [
    ...foundLines(found),
    changes
      ? 'The report that would leave this machine with --crontab:'
      : 'The report that would leave this machine now:',
    JSON.stringify(report, null, 2),
    ...(changes
      ? ['The change of the crontab with --crontab:', tableDiff(crontab.plan), ...(log ? [outputWords.kept] : [])]
      : ['With --crontab, the crontab would not change.']),
    'Nothing was written.',
  ])
}

async function done(
  subject: Adoption,
  { wrapped, lines, json }: { wrapped: number; lines: readonly string[]; json: boolean | undefined },
): Promise<void> {
  const report = json ? await reportNow(subject.place, subject.name) : undefined
  printResult(json, answerOf(subject, report, wrapped), () => lines)
}

const answerOf = ({ place, found }: Adoption, report: Report | undefined, wrapped: number) => ({
  found: { crontab: found.lines, jobs: found.jobs.length, ai: {} },
  report,
  crontabDiff: found.crontab.ok ? tableDiff(found.crontab.plan) : '',
  folder: place.folder.root,
  wrapped,
})

const becoming = (lines: number): string =>
  lines === 0
    ? 'No other line can become a job.'
    : `${count(lines, 'line')} can become ${lines === 1 ? 'a job' : 'jobs'}.`
const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
