/**
 * Decides which sections `svc adopt` shows, jobs or AI sessions or both, from the options, an earlier choice, and
 * answers.
 */
import { listIn } from '@svc/protocol'
import { type AdoptedNote, isAdoptedDamaged, readAdopted } from '../../host/agent/adopted.ts'
import { toolNames } from '../../host/sessions/session.ts'
import { type AiLook, aiPaths, chosenFolders, lookAtSessions, namedAs } from '../../host/watch/ai-section.ts'
import { choose, confirm } from '../kit/ask.ts'
import { exits, Refusal } from '../kit/output.ts'
import type { HostFolder } from './adopt-place.ts'

const sections = ['jobs', 'ai'] as const
export type SectionName = (typeof sections)[number]

interface ChosenSections {
  /** The sections that `--only` names; all sections if the option is not given. */
  readonly wanted: ReadonlySet<SectionName>
  /** True if `--only` was given. */
  readonly isOnly: boolean
  /** True if `--crontab` was given. It turns crontab lines into jobs, so the section with jobs is shown, too. */
  readonly makesJobs: boolean
  readonly names: AdoptedNote['names'] | undefined
}

interface SectionOptions {
  readonly only?: string
  readonly names?: string
  readonly crontab?: boolean
  readonly log?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/** Checks the options before anything is done. Refuses an option that would have no effect beside the others. */
export function sectionsBy({ only, names, crontab, log, yes, dryRun }: SectionOptions): ChosenSections {
  const given: readonly string[] = only === undefined ? sections : listIn(only)
  const other = given.find((section) => !(sections as readonly string[]).includes(section))
  if (other !== undefined || given.length === 0)
    throw new Refusal(`--only must be jobs, ai or both: got ${JSON.stringify(other ?? only)}.`, exits.usage)
  if (names !== undefined && names !== 'number' && names !== 'folder')
    throw new Refusal(`--names must be number or folder: got ${JSON.stringify(names)}.`, exits.usage)
  const wanted = new Set(given as readonly SectionName[])
  if (crontab && !wanted.has('jobs'))
    throw new Refusal('--crontab makes jobs of the crontab, so --only must name jobs, too.', exits.usage)
  if (log && !wanted.has('jobs'))
    throw new Refusal('--log keeps the output of new jobs, so --only must name jobs, too.', exits.usage)
  if (log && yes && !crontab && !dryRun)
    throw new Refusal('--log keeps the output of new jobs, and --yes makes none without --crontab.', exits.usage)
  if (names !== undefined && !wanted.has('ai'))
    throw new Refusal('--names is how AI sessions are named, so --only must name ai, too.', exits.usage)
  return { wanted, isOnly: only !== undefined, makesJobs: crontab === true, names }
}

/** The section that `--only` names; undefined if it names both or is not given. */
export const onlySection = ({ wanted }: ChosenSections): SectionName | undefined =>
  wanted.size === sections.length ? undefined : [...wanted][0]

/** The facts about both sections before a person is asked. */
export interface SectionFacts {
  readonly before: AdoptedNote | undefined
  /** True if the note about what the agent shows exists and cannot be read. */
  readonly isDamaged: boolean
  readonly ai: AiLook
  /**
   * The folders of AI tools that differ from the tools' default folders: those that this environment names, and those
   * that were noted before.
   */
  readonly folders: readonly string[]
}

export function lookAtSections({ folder }: HostFolder, { names }: ChosenSections): SectionFacts {
  const before = readAdopted(folder)
  const folders = chosenFolders(before, process.env)
  const chosen = { names: names ?? before?.names ?? 'number', folders }
  const ai = lookAtSessions(aiPaths(folder, process.env), chosen, before?.ai !== true)
  return { before, isDamaged: isAdoptedDamaged(folder), folders, ai }
}

/** Returns lines for a person: the number of AI sessions found, and the faults and remarks of each AI tool. */
export function sessionLines({ ai: { found } }: SectionFacts): string[] {
  const counts = found.flatMap(({ tool, sessions, isUnread }) =>
    isUnread ? [] : [`${toolNames[tool]} ${sessions.length}`],
  )
  return [
    ...(counts.length === 0 ? [] : [`Found AI sessions of 7 days: ${counts.join(', ')}.`]),
    ...found.flatMap(({ tool, faults, remarks }) =>
      [...faults, ...remarks].map((says) => `  ${toolNames[tool]}: ${says}.`),
    ),
  ]
}

/** The number of sessions found for each AI tool. Tools whose files could not be read are left out. */
export const sessionCounts = ({ ai: { found } }: SectionFacts): Record<string, number> =>
  Object.fromEntries(found.flatMap(({ tool, sessions, isUnread }) => (isUnread ? [] : [[tool, sessions.length]])))

/** Returns the AI sessions found, named as the person chose; undefined if the person does not show AI sessions. */
export const chosenAiLook = ({ ai: isShown, names }: AdoptedNote, facts: SectionFacts): AiLook | undefined =>
  isShown ? namedAs(facts.ai, names) : undefined

/**
 * Chooses the sections to show. A section that is shown already stays shown. With `--yes`, an existing agent shows
 * another section only if `--only` or `--crontab` asks for it, so that an update of svc never makes a machine reveal
 * more.
 */
export async function askSections(
  yes: boolean | undefined,
  { wanted, isOnly, makesJobs, names }: ChosenSections,
  facts: SectionFacts,
): Promise<AdoptedNote> {
  const { before } = facts
  if (yes && !isOnly && facts.isDamaged)
    throw new Refusal(
      'The note adopted.json is damaged, so nobody knows what was shown. Name the sections with --only, or leave out --yes. Nothing was done.',
    )
  const isKept = (section: SectionName) => before?.[section] === true || !wanted.has(section)
  const jobs = isKept('jobs')
    ? before?.jobs === true
    : isOnly || (yes ? makesJobs || before === undefined : await confirm(jobsQuestion))
  if (isKept('ai')) return chosenNote(facts, { jobs, ai: before?.ai === true, names })
  if (yes) return chosenNote(facts, { jobs, ai: isOnly || (before === undefined && hasSessions(facts)), names })
  if (!isOnly && !hasSessions(facts)) return chosenNote(facts, { jobs, ai: false, names })
  if (names !== undefined) return chosenNote(facts, { jobs, ai: isOnly || (await confirm(sessionQuestion)), names })
  const words = isOnly ? (['number', 'folder'] as const) : (['number', 'folder', 'no'] as const)
  const answer = await choose(`${sessionQuestion} ${nameHelp}`, [...words])
  return chosenNote(facts, { jobs, ai: answer !== 'no', names: answer === 'no' ? undefined : answer })
}

const jobsQuestion = 'Show your jobs on the page: their names, times and exit codes?'
const sessionQuestion =
  'Show your AI sessions on the page: tool, state, model, tokens and cost, never prompts or answers?'
const nameHelp = 'Their names: number is "claude 3", folder is "harbour (claude 3)", no shows none.'

/** The sections of the report that a dry run prints: those shown already, and those that a person would be offered. */
export const allSections = ({ wanted, isOnly, names }: ChosenSections, facts: SectionFacts): AdoptedNote =>
  chosenNote(facts, {
    jobs: wanted.has('jobs') || facts.before?.jobs === true,
    ai: facts.before?.ai === true || (wanted.has('ai') && (isOnly || hasSessions(facts))),
    names,
  })

const hasSessions = ({ ai: { found } }: SectionFacts): boolean => found.length > 0

function chosenNote(
  { before, folders }: SectionFacts,
  { jobs, ai, names }: Pick<AdoptedNote, 'jobs' | 'ai'> & { readonly names: AdoptedNote['names'] | undefined },
): AdoptedNote {
  if (!jobs && !ai) throw new Refusal('Nothing was done.')
  return { jobs, ai, names: names ?? before?.names ?? 'number', folders: ai ? folders : (before?.folders ?? []) }
}
