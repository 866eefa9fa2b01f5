/**
 * Writes `.svc/runtime/start.cjs`, the program that the service manager starts. The program counts the start of a
 * runtime file on trial before it loads the file, and puts the previous file back if three starts did not last or the
 * file cannot be loaded (D38), so that a broken launcher does not survive a reboot. The program and the launcher share
 * `trial` in runtime.json, three file names, and the global `svcStart`.
 */
import { join } from 'node:path'
import { createFolder, writeDurably } from '../machine/files/durable.ts'
import type { Folder } from '../machine/files/folder.ts'
import { readFile } from '../machine/files/read.ts'
import { maxStarts } from './trial.ts'

/**
 * Writes `start.cjs`, which the service manager starts, and a package.json so that any Node can load the runtime,
 * whatever a package.json in a parent folder says. Files that are up to date are not written again.
 */
export function writeStarter(paths: Pick<Folder, 'runtimeFolder' | 'runtimeStarter'>): void {
  createFolder(paths.runtimeFolder)
  keep(join(paths.runtimeFolder, 'package.json'), '{"type":"commonjs"}\n')
  keep(paths.runtimeStarter, starterScript)
}

function keep(file: string, text: string): void {
  const content = readFile(file, 65_536)
  if (content.is !== 'bytes' || content.bytes.toString('utf8') !== text) writeDurably(file, text)
}

const starterScript = `// Starts svc.pyz beside it; a new one on trial goes back to the previous after three starts. Written by svc; do not edit.
'use strict'
const fs = require('node:fs')
const path = require('node:path')
const at = (name) => path.join(__dirname, name)
const file = at('svc.pyz')
const previous = at('svc.pyz.previous')
const notes = at('runtime.json')
const running = process.argv[2] === 'run'

function synced(name, flags, work) {
  const fd = fs.openSync(name, flags)
  try {
    if (work) work(fd)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}
function write(note) {
  const beside = notes + '.start'
  fs.rmSync(beside, { force: true })
  fs.writeFileSync(beside, JSON.stringify(note) + '\\n', { mode: 0o600 })
  synced(beside, 'r+')
  fs.renameSync(beside, notes)
  synced(__dirname, 'r')
}
function read() {
  try {
    return JSON.parse(fs.readFileSync(notes, 'utf8'))
  } catch {
    return {}
  }
}
function hashOf(name) {
  return require('node:crypto').createHash('sha256').update(fs.readFileSync(name)).digest('hex')
}
/** The reason is noted before the rename, so that the next start finishes what a kill broke off. */
function back(note, reason) {
  const { from, to } = note.trial
  if (hashOf(previous) !== from.sha256) return false
  try {
    if (note.trial.is !== 'undoing') write({ ...note, trial: { is: 'undoing', from, to, reason, at: Date.now() } })
  } catch {
    // a full disk must not keep the new file
  }
  fs.renameSync(previous, file)
  synced(__dirname, 'r')
  return true
}
function prepare(note) {
  const { trial } = note
  if (!running || !trial || hashOf(file) !== trial.to.sha256) return
  if (trial.is === 'undoing') return void back(note)
  if (trial.starts >= ${maxStarts}) return void back(note, '${maxStarts} starts did not last')
  try {
    write({ ...note, trial: { ...trial, starts: trial.starts + 1 } })
    globalThis.svcStart = { counted: true }
  } catch (error) {
    if (trial.is === 'trying') back(note, 'its start could not be noted: ' + error.message)
  }
}

try {
  prepare(read())
} catch (error) {
  process.stderr.write('svc: ' + error.message + '\\n')
}
process.argv[1] = file
try {
  require(file)
} catch (error) {
  const note = read()
  if (!running || !note.trial || !back(note, 'does not load: ' + error.message)) throw error
  process.stderr.write('svc: the new runtime does not load, the previous one is back: ' + error.message + '\\n')
  delete require.cache[file]
  require(file)
}
`
