/** The input and output of the section *ai*: reads files of the tools, and stores the numbers of their sessions. */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { limits } from '@svc/protocol'
import { number, object, text } from '@svc/protocol/fields'
import type { Folder } from '../../machine/files/folder.ts'
import { readJsonFile } from '../../machine/files/read.ts'
import type { AdoptedNote } from '../agent/adopted.ts'
import { waitingMinutes } from '../agent/manifest.ts'
import { ownFolders } from '../jobs/account.ts'
import { machineZone } from '../jobs/machine-zone.ts'
import { offsetAt } from '../jobs/zone.ts'
import { newBudget } from '../sessions/growing.ts'
import { thisMachine } from '../sessions/machine.ts'
import { type NumberedSession, numbered, readNumbers, type SessionNumbers, writeNumbers } from '../sessions/numbers.ts'
import { type FoundTool, type Look, mergeFound, type ToolReader } from '../sessions/session.ts'
import { readPrices } from '../sessions/spent.ts'
import {
  folderIn,
  folderText,
  knownTools,
  otherFolders,
  readerOf,
  type ToolFolder,
  usualFolders,
} from '../sessions/tools.ts'
import { type AiJudgeContext, type JudgedSession, judgedSessions } from './ai-judge.ts'
import { aiPart } from './ai-part.ts'
import type { Section, StatusPart } from './sections.ts'

/** The paths that the section *ai* uses. */
export interface AiPaths {
  /** The state of the host agent, with `numbers.json`. */
  readonly state: string
  /** The file with the settings of the host agent. */
  readonly settings: string
  /** The home folder of this user; undefined if it is not known. */
  readonly home: string | undefined
}

/** The paths for the host agent in this folder, and of the user who runs it. */
export const aiPaths = ({ state, settings }: Pick<Folder, 'state' | 'settings'>, env: NodeJS.ProcessEnv): AiPaths => ({
  ...{ state, settings, home: ownFolders(env).HOME },
})

/** The folders of tools besides their default folders: those in the note, and those that this environment names. */
export const chosenFolders = (note: AdoptedNote | undefined, env: NodeJS.ProcessEnv): string[] => [
  ...new Set([
    ...(note?.folders ?? []),
    ...otherFolders(env)
      .filter(({ folder }) => existsSync(folder))
      .map(folderText),
  ]),
]

/** The choices of a person about sessions. */
type ChosenAi = Pick<AdoptedNote, 'names' | 'folders'>

/**
 * Returns the function that makes the section for `svc watch` from the present choices of the person. All sections that
 * it makes share what they have read.
 */
export function watchedSessions(paths: AiPaths): (chosen: ChosenAi) => Section {
  const find = finder()
  let numbers: SessionNumbers | undefined
  let written = ''
  return ({ names, folders }) => ({
    name: 'ai',
    command: 'sessions',
    look(now) {
      const zone = machineZone()
      numbers = newest(numbers, readNumbers(paths.state))
      const found = find(foldersOf(paths, folders), lookAt(now, zone))
      const given = numbered(numbers, sessionsIn(found), Math.floor(now / 1000))
      numbers = given.numbers
      const text = JSON.stringify(numbers)
      if (text !== written && hasWritten(paths.state, numbers)) written = text
      const context = contextAt(now, zone, paths, names)
      return aiPart(found, judgedSessions(given.sessions, context), context)
    },
  })
}

/** Returns the note in memory or, if sessions were switched off and on again meanwhile, the stored one. */
const newest = (known: SessionNumbers | undefined, stored: SessionNumbers): SessionNumbers =>
  known === undefined || (stored.first ?? 0) > (known.first ?? 0) ? stored : known

/** Writes the note. If that fails, as on a full disk, the next look tries again. */
function hasWritten(state: string, numbers: SessionNumbers): boolean {
  try {
    writeNumbers(state, numbers)
    return true
  } catch {
    return false
  }
}

/** The result of a single look. Nothing is written. */
export interface AiLook {
  readonly found: readonly FoundTool[]
  readonly part: StatusPart
  readonly sessions: readonly NumberedSession[]
  readonly judged: readonly JudgedSession[]
  readonly context: AiJudgeContext
  /** The note that `svc watch` would write. */
  readonly numbers: SessionNumbers
}

/** A single look reads up to this many times as much as a look of `svc watch`, because no later look reads the rest. */
const maxPasses = 8

/** Looks once, for a command. `isFirst` is true for the first look after sessions were switched on. */
export function lookAtSessions(paths: AiPaths, { names, folders }: ChosenAi, isFirst = false): AiLook {
  const find = finder()
  const now = Date.now()
  const zone = machineZone()
  let found: readonly FoundTool[] = []
  for (let pass = 0; pass < maxPasses; pass++) {
    const look = lookAt(now, zone)
    found = find(foldersOf(paths, folders), look)
    if (look.budget.left > 0) break
  }
  const { first, ...stored } = readNumbers(paths.state)
  const before = { ...stored, ...(first !== undefined && !isFirst && { first }) }
  const { numbers, sessions } = numbered(before, sessionsIn(found), Math.floor(now / 1000))
  const context = contextAt(now, zone, paths, names)
  return shownAs({ found, sessions, numbers, context })
}

/** The same look, with its sessions named by their numbers or by their folders. */
export const namedAs = (look: AiLook, names: AiJudgeContext['names']): AiLook =>
  shownAs({ ...look, context: { ...look.context, names } })

function shownAs(look: Omit<AiLook, 'part' | 'judged'>): AiLook {
  const judged = judgedSessions(look.sessions, look.context)
  return { ...look, judged, part: aiPart(look.found, judged, look.context) }
}

const sessionsIn = (found: readonly FoundTool[]) => found.flatMap(({ sessions }) => sessions)

const foldersOf = ({ home }: AiPaths, chosen: readonly string[]): ToolFolder[] => {
  const all = [...usualFolders(home), ...chosen.flatMap((text) => folderIn(text) ?? [])]
  return [...new Map(all.map((each) => [folderText({ ...each, folder: realOf(each.folder) }), each])).values()]
}

/** The path of a folder with all links resolved. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}

/** Returns the function that finds the tools in some folders. It keeps the readers of the folders between two looks. */
function finder(): (folders: readonly ToolFolder[], look: Look) => FoundTool[] {
  const machine = thisMachine()
  const readers = new Map<string, ToolReader>()
  let turn = 0
  return (folders, look) => {
    turn++
    // The first reader may use up the budget of a look, so at each look the order begins with another folder.
    const order = folders.map((_, at) => folders[(at + turn) % folders.length] as ToolFolder)
    const found = new Map(
      order.map((folder) => {
        const key = folderText(folder)
        const reader = readers.get(key) ?? readerOf(folder, machine)
        readers.set(key, reader)
        return [folder, reader(look)]
      }),
    )
    return merged(folders.flatMap((folder) => found.get(folder) ?? []))
  }
}

/** Merges the results of a tool with several folders. The first folder takes precedence. */
const merged = (found: readonly FoundTool[]): FoundTool[] =>
  knownTools.flatMap((tool) => {
    const [first, ...others] = found.filter((one) => one.tool === tool)
    return first === undefined ? [] : [others.reduce(mergeFound, first)]
  })

const lookAt = (now: number, zone: string): Look => ({ now, budget: newBudget(), dayOf: daysOf(zone) })

const quarterSeconds = 900
/**
 * The cache of `daysOf` for the last zone: from a quarter of an hour, numbered since 1970, to the number of its day.
 * Clocks are never changed in the middle of a quarter.
 */
let days: { readonly zone: string; readonly known: Map<number, number> } | undefined

/** Returns the function that numbers the days of a zone. The numbers are cached, since they are slow to compute. */
function daysOf(zone: string): (at: number) => number {
  if (days?.zone !== zone || days.known.size > 10_000) days = { zone, known: new Map() }
  const { known } = days
  return (at) => {
    const slot = Math.floor(at / quarterSeconds)
    const day = known.get(slot) ?? Math.floor((slot * quarterSeconds + offsetAt(zone, slot * quarterSeconds)) / 86_400)
    known.set(slot, day)
    return day
  }
}

const settings = object({ waiting_minutes: number(0), prices: text(limits.settingText) })

function contextAt(now: number, zone: string, paths: AiPaths, names: AiJudgeContext['names']): AiJudgeContext {
  const set = readJsonFile(paths.settings, 1024 * 1024, (value) => settings(value)) ?? {}
  const { prices, wrong } = readPrices(set.prices ?? '')
  return {
    now: now / 1000,
    zone,
    today: daysOf(zone)(now / 1000),
    names,
    waitingMinutes: Math.min(set.waiting_minutes ?? waitingMinutes.usual, waitingMinutes.max),
    prices,
    wrongPrices: wrong,
  }
}
