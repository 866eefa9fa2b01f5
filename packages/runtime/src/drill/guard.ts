/**
 * Cleans up after a drill that is killed. A separate shell waits until the other end of its pipe is closed. Unless it
 * was told that the drill is over, it then ends the rehearsed agent as `svc stop` does, and removes the copy with its
 * secrets.
 */
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { Folder } from '../files/folder.ts'
import { programFile } from '../launcher/file.ts'

const script = `read -r word; [ "$word" = over ] && exit; copy=$1; shift; "$@"; [ -z "$copy" ] || rm -rf "$copy"`

/** Starts the guard. With `keep` the copy stays on the disk. */
export function guard({ root }: Pick<Folder, 'root'>, { keep }: { keep: boolean }): { over(): void } {
  const program = programFile()
  const file = program.endsWith('.ts') ? [program] : ['-e', 'require(process.argv[1])', program]
  const stop = [process.execPath, ...file, 'stop', '--dir', root]
  const shell = spawn('/bin/sh', ['-c', script, 'sh', keep ? '' : dirname(root), ...stop], {
    cwd: '/',
    detached: true, // killing the drill's whole group does not end it
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', () => {}) // a machine without a shell
  shell.stdin.on('error', () => {})
  shell.unref()
  return { over: () => shell.stdin.end('over\n') }
}
