/**
 * Creates the folder of a new blueprint. The files are first written into a folder with a temporary name, which is then
 * renamed, so that nobody sees a half-written blueprint.
 */
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestName } from '@svc/blueprint'
import { codeOf } from '../../machine/base/errors.ts'
import { manifestOf } from './starting/manifest.ts'
import * as node from './starting/node.ts'
import * as python from './starting/python.ts'
import { readmeOf } from './starting/readme.ts'

export const languages = ['python', 'node'] as const
export type Language = (typeof languages)[number]

/** Returns the files of a new blueprint. An agent made from them runs before the author changes anything. */
export function startingFiles(name: string, language: Language): [path: string, content: string][] {
  const { command, run, main } = { python, node }[language]
  const program = language === 'python' ? 'main.py' : 'main.mjs'
  return [
    [manifestName, manifestOf(name, command)],
    [program, main],
    ['README.md', readmeOf(name, program, run)],
  ]
}

/** Creates the folder `name` in `parent` with the files of a new blueprint. Returns false if the name is taken. */
export function createBlueprint(parent: string, name: string, language: Language): boolean {
  const target = join(parent, name)
  mkdirSync(parent, { recursive: true })
  const temporary = mkdtempSync(join(parent, `.${name}.`))
  try {
    for (const [path, content] of startingFiles(name, language)) writeFileSync(join(temporary, path), content)
    mkdirSync(target) // Fails if the folder exists. Otherwise the rename below replaces this empty folder.
    chmodSync(temporary, statSync(target).mode & 0o777)
    renameSync(temporary, target)
    return true
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
