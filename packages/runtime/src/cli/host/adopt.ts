/**
 * `svc adopt`: shows on the page what already runs on this machine for this user. It looks first, says what it found,
 * and asks; the crontab is changed last, and only if a person agreed to the diff.
 */
import { hostname } from 'node:os'
import { wrongWithAgentName } from '@svc/blueprint'
import type { Report } from '@svc/protocol'
import { Command } from 'commander'
import { type CrontabFacts, readCrontabFacts } from '../../host/adopt/look.ts'
import { outputWords } from '../../host/adopt/output.ts'
import { tableDiff } from '../../host/adopt/plan.ts'
import { crontabBackup, replaceTable } from '../../host/adopt/table.ts'
import { type AdoptedNote, writeAdopted } from '../../host/agent/adopted.ts'
import { nameInManifest } from '../../host/agent/manifest.ts'
import { mendUnits } from '../../install/service/mend.ts'
import { counted } from '../../machine/base/sentence.ts'
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
import { connectHost, howToStart, reportNow, startHost } from './adopt-agent.ts'
import { findHostFolder, type HostFolder, installPrograms, mustInstall } from './adopt-place.ts'
import { unadopt } from './adopt-remove.ts'
import {
  allSections,
  askSections,
  chosenAiLook,
  lookAtSections,
  onlySection,
  type SectionFacts,
  sectionsBy,
  sessionCounts,
  sessionLines,
} from './adopt-sections.ts'

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
    .option('--only <sections>', 'what to add or remove, of jobs and ai (AI sessions), separated by commas')
    .option('--names <how>', 'how AI sessions are named: number or folder')
    .option('--crontab', 'make jobs of the crontab lines without asking')
    .option('--log', 'keep the output of each new job in files; cron mails none of it then, and admins can request it')
    .option('--yes', 'do not ask; the crontab stays as it is without --crontab')
    .option('--no-start', 'do not start the agent')
    .option('--dry-run', 'write nothing; print the report and the change of the crontab')
    .option('--remove', 'put the crontab lines back, and remove the agent from this machine; with --only that section')
    .option('--json', 'print one JSON value for programs')
    .summary('show what already runs here: cron jobs and AI sessions')
    .description(
      'Shows the cron jobs and the AI sessions of your user on the page, as one agent of this machine. A line of the crontab becomes a job only if you agree to the change, and still runs if svc is gone. Of jobs, only names, times and exit codes leave the machine, never commands, nor their output unless --log is given; of sessions, only tool, state, model, tokens and cost, never prompts or answers.\nRun it again to add what is new.',
    )
    .addHelpText(
      'after',
      examples(
        ...['adopt --url https://svc.example.com', 'adopt --only ai', 'adopt --dry-run'],
        ...['adopt --remove --only ai', 'adopt --remove'],
      ),
    )
    .action(run)

async function run(options: AdoptOptions): Promise<void> {
  if (options.remove) mustRemoveOnly(options)
  const sections = sectionsBy(options)
  const chosen = nameBy(options)
  const host = findHostFolder()
  if (options.remove) return unadopt(host.folder, onlySection(sections), options)
  const found = await readCrontabFacts(host.jobs, host.program, options.log ? '--log' : undefined)
  if (options.crontab && !found.crontab.ok) throw new Refusal(`The crontab ${found.crontab.why}. Nothing was done.`)
  const name = nameFor(host.folder, chosen)
  const facts = lookAtSections(host, sections)
  if (options.dryRun) return dryRun({ host, found, facts, name }, allSections(sections, facts), options)
  const known = knownConnection(host.folder, options)
  if (!options.yes && !isInteractive())
    throw new Refusal('Nobody can be asked here. Add --yes, or run it at a terminal. Nothing was done.', exits.usage)
  warn([...foundLines(found), ...sessionLines(facts)].join('\n'))
  // The token is asked for first. A person pastes it at once, as the page says, and it must not answer another
  // question.
  const connection = known.value ?? { origin: known.origin, token: await tokenFrom(options.tokenFile) }
  const adopted = await askSections(options.yes, sections, facts)
  const wraps = sections.wanted.has('jobs') && adopted.jobs && (await askCrontab(options, host, found))
  const starts = options.start && !whoHolds(host.folder, 'runtime') && (options.yes || (await confirm(startQuestion)))
  const lines = [
    ...(await connectHost(host, {
      name,
      adopted,
      ai: chosenAiLook(adopted, facts),
      connection,
      isNew: known.value === undefined,
    })),
    ...(await installPrograms(host)),
    ...(await mendUnits(host.folder)),
    ...(starts ? await startHost(host.folder, name) : howToStart(host.folder)),
    ...(adopted.jobs ? await changeCrontab(host.folder, { found, wraps, adopted }) : []),
  ]
  await printAdoption(
    { host, found, facts, name },
    { adopted, wrapped: wraps ? changesIn(found).length : 0, lines, json: options.json },
  )
}

/** Refuses the options that say how to add something. */
function mustRemoveOnly({ url, tokenFile, name, names, crontab, log, start }: AdoptOptions): void {
  const adding = {
    ...{ '--url': url, '--token-file': tokenFile, '--name': name, '--names': names },
    ...{ '--crontab': crontab, '--log': log, '--no-start': start ? undefined : true },
  }
  const [given] = Object.entries(adding).flatMap(([option, value]) => (value === undefined ? [] : [option]))
  if (given !== undefined)
    throw new Refusal(`--remove cannot be used with ${given}, which is for adding. Nothing was done.`, exits.usage)
}

const startQuestion = 'Start it now, and with this machine?'

interface Adoption {
  readonly host: HostFolder
  readonly found: CrontabFacts
  readonly facts: SectionFacts
  /** The agent's name. */
  readonly name: string
}

/** The name that was given, checked before anything is done. */
function nameBy({ name }: AdoptOptions): string | undefined {
  const called = name === undefined ? undefined : readPastedInput('The name', name)
  const wrong = called === undefined ? undefined : wrongWithAgentName(called)
  if (wrong) throw new Refusal(`--name ${wrong}: got ${JSON.stringify(called)}.`, exits.usage)
  return called
}

/**
 * The given name, otherwise that of the existing agent, otherwise one made of the names of the machine and the user.
 */
const nameFor = (folder: Folder, chosen: string | undefined): string =>
  chosen ?? nameInManifest(folder) ?? nameFrom(`${hostname().split('.')[0]}-${nameOfUser() ?? 'user'}`)

/**
 * Returns the agent's connection to the service. `value` is missing if a new token is needed, because there is no
 * connection yet, the service refused the stored token, or `--token-file` is given.
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
    `Found ${counted(lines, 'crontab line')} and ${counted(jobs.length, 'job')} that svc knows. ${otherLinesText(changes)}`,
    ...(crontab.ok ? [] : [`The crontab ${crontab.why}.`]),
    ...left.map(({ number, why }) => `  Line ${number} stays as it is: it ${why}.`),
  ]
}

/**
 * Shows the planned change of the crontab, and returns true if it is agreed: with `--crontab`, or by the person's
 * answer.
 */
async function askCrontab(
  { yes, crontab, log }: AdoptOptions,
  { program }: HostFolder,
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
  if (!wraps) return [`${counted(changes.length, 'crontab line')} can become a job: ${commandHint('adopt --crontab')}`]
  await replaceTable(folder, { expected: found.crontab.text, next: found.crontab.plan.text })
  // The agent reads the crontab again when `adopted.json` is written, and otherwise only every five minutes.
  writeAdopted(folder, adopted)
  return [
    `Jobs in the crontab now: ${changes.map(({ name }) => name).join(', ')}.`,
    `The table before is in ${crontabBackup(folder)}. ${commandHint('adopt --remove')} puts the lines back.`,
  ]
}

/** Prints what would be reported now if a person agrees to all, and how --crontab would change the crontab. */
async function dryRun(subject: Adoption, adopted: AdoptedNote, { json, log }: AdoptOptions): Promise<void> {
  const { found, facts, host } = subject
  const { crontab } = found
  const changes = crontab.ok && crontab.plan.changes.length > 0
  const status = {
    jobs: adopted.jobs,
    ai: chosenAiLook(adopted, facts)?.part,
    table: changes ? crontab.plan.text : undefined,
  }
  const report = await reportNow(host, subject.name, status)
  printResult(json, answerOf(subject, report, 0), () => [
    ...foundLines(found),
    ...sessionLines(facts),
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

async function printAdoption(
  subject: Adoption,
  {
    adopted,
    wrapped,
    lines,
    json,
  }: { adopted: AdoptedNote; wrapped: number; lines: readonly string[]; json: boolean | undefined },
): Promise<void> {
  const status = { jobs: adopted.jobs, ai: chosenAiLook(adopted, subject.facts)?.part }
  const report = json ? await reportNow(subject.host, subject.name, status) : undefined
  printResult(json, answerOf(subject, report, wrapped), () => lines)
}

const answerOf = ({ host, found, facts }: Adoption, report: Report | undefined, wrapped: number) => ({
  found: { crontab: found.lines, jobs: found.jobs.length, ai: sessionCounts(facts) },
  report,
  crontabDiff: found.crontab.ok ? tableDiff(found.crontab.plan) : '',
  folder: host.folder.root,
  wrapped,
})

const otherLinesText = (lines: number): string =>
  lines === 0
    ? 'No other line can become a job.'
    : `${counted(lines, 'line')} can become ${lines === 1 ? 'a job' : 'jobs'}.`
