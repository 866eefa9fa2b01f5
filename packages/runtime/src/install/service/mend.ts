/** Finds unit files that cannot start their agent, and repairs them. */
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { runtimeFile, startArgs } from '../../launcher/file.ts'
import { codeOf, messageOf } from '../../machine/base/errors.ts'
import { writeDurably } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { commandHint, sudoHint } from '../../machine/hint.ts'
import { canRun } from '../../machine/programs/can-run.ts'
import { isShorterLived, lastingNode, lastingPath } from '../../machine/programs/node.ts'
import { findUnits, type ServiceUnit, unitText } from './find.ts'
import { systemctl } from './manager.ts'
import { replaceStartCommand, startsRuntimeDirectly, startWordsOf, unitPathOf, unitUser } from './text.ts'

interface UnitFault {
  readonly message: string
  /** True if the unit does not start at all. */
  readonly dead: boolean
}

/** The fault in the file of a unit, with the command that mends it; undefined if there is none. */
export function unitFault(folder: Pick<Folder, 'runtime' | 'root'>, unit: ServiceUnit): UnitFault | undefined {
  const text = unitText(unit.file) ?? ''
  const { kind, file } = unit
  if (startsRuntimeDirectly(text, folder.runtime)) {
    const user = unitUser(text)
    const mend =
      kind === 'systemd system'
        ? sudoHint(`service install --system${user === undefined ? '' : ` --user ${user}`}`, folder.root)
        : commandHint('service install', folder.root)
    return {
      dead: false,
      message: `${file} starts svc.pyz itself, so nothing would roll back a bad svc after a reboot; run "${mend}"`,
    }
  }
  const missing = missingIn(unit, text)
  if (missing === undefined) return undefined
  const mend = kind === 'systemd system' ? sudoHint('start', folder.root) : commandHint('start')
  return {
    dead: true,
    message: `${file} starts ${missing}, which is not there, perhaps since an update of Node; run "${mend}", which writes the unit again`,
  }
}

/** The first fault in the units of a folder. */
export const faultOfUnits = (folder: Folder): UnitFault | undefined =>
  findUnits(folder)
    .map((unit) => unitFault(folder, unit))
    .find((fault) => fault !== undefined)

/** Returns the program of a unit if it is missing or cannot run, or else the file that it loads if that is missing. */
function missingIn({ kind }: ServiceUnit, text: string): string | undefined {
  const [program, ...args] = startWordsOf(text)
  if (program === undefined) return undefined
  if (isGone(program) || (kind !== 'systemd system' && !canRun(program))) return program
  const file = args[args.indexOf('run') - 1]
  return file?.startsWith('/') && isGone(file) ? file : undefined
}

/** True if there is nothing at this path. False if this user may not look at the path. */
function isGone(path: string): boolean {
  try {
    statSync(path)
    return false
  } catch (error) {
    return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')
  }
}

/**
 * Writes the units of a folder again if their program is gone, may be removed by the next update of Node, or loads
 * `svc.pyz` without `start.cjs`. Everything else in their files stays. Returns what was done, or why it failed.
 */
export async function mendUnits(folder: Folder): Promise<string[]> {
  const lines: string[] = []
  for (const unit of findUnits(folder)) {
    const text = unitText(unit.file) ?? ''
    const mended = mendedText(folder, unit, text)
    if (mended === undefined || mended === text) continue
    try {
      writeDurably(unit.file, mended)
      if (unit.kind !== 'launchd') await systemctl(unit, 'daemon-reload')
      lines.push(`Wrote ${unit.file} again: it started ${startWordsOf(text)[0]}.`)
    } catch (error) {
      if (unitFault(folder, unit)?.dead) lines.push(`${unit.file} could not be written: ${messageOf(error)}.`)
    }
  }
  return lines
}

/** The text that the unit should have; undefined if its program stays as it is. */
function mendedText(folder: Folder, unit: ServiceUnit, text: string): string | undefined {
  const [program] = startWordsOf(text)
  if (program === undefined) return undefined
  const node = lastingNode()
  const byPython = /^python[\d.]*$/.test(basename(program))
  const due =
    missingIn(unit, text) !== undefined ||
    startsRuntimeDirectly(text, folder.runtime) ||
    (!byPython && isShorterLived(program, node) && sameFile(program, node))
  if (!due) return undefined
  const python = byPython && [program, '/usr/bin/python3'].find((path) => canRun(path))
  const path = unitPathOf(text)
  const launch = python ? [python, runtimeFile(folder)] : [node, ...startArgs(folder)]
  return replaceStartCommand(text, folder.root, launch, path === undefined ? path : lastingPath(path, node, program))
}

function sameFile(a: string, b: string): boolean {
  try {
    const [one, other] = [statSync(a), statSync(b)]
    return one.dev === other.dev && one.ino === other.ino
  } catch {
    return false
  }
}
