/**
 * Cleans up if a drill is killed. A separate shell waits until the drill's end of a pipe is closed. If the drill did
 * not first write that it is over, the shell ends the rehearsed agent as `svc stop` does, and removes the copy with its
 * secrets.
 */
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { programFile } from '../../../launcher/file.ts'
import type { Folder } from '../../../machine/files/folder.ts'

const script = `read -r word; [ "$word" = over ] && exit; copy=$1; shift; "$@"; [ -z "$copy" ] || rm -rf "$copy"`

/** Starts the shell that cleans up after a killed drill. With `keep`, the copy stays on the disk. */
export function guard({ root }: Pick<Folder, 'root'>, { keep }: { keep: boolean }): { over(): void } {
  const program = programFile()
  const file = program.endsWith('.ts') ? [program] : ['-e', 'require(process.argv[1])', program]
  const stop = [process.execPath, ...file, 'stop', '--dir', root]
  const shell = spawn('/bin/sh', ['-c', script, 'sh', keep ? '' : dirname(root), ...stop], {
    cwd: '/',
    detached: true, // The shell gets a process group of its own, so that a kill of the drill's group spares it.
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', () => {}) // Without a shell on this machine, nothing cleans up.
  shell.stdin.on('error', () => {})
  shell.unref()
  return { over: () => shell.stdin.end('over\n') }
}
