/**
 * A program for the tests of locks. It takes the lock `turn` a given number of times, and each time adds one to the
 * number in a file; that number is right in the end only if no process does so without the lock. With the argument
 * `dies` instead of a number, the program takes the lock once and kills itself while it holds the lock.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { folderAt } from '../src/machine/files/folder.ts'
import { withTurn } from '../src/machine/files/lock.ts'

const [root = '.', counter = '', times = '1'] = process.argv.slice(2)
if (times === 'dies') withTurn(folderAt(root), 'dies', () => process.kill(process.pid, 'SIGKILL'))
for (let i = 0; i < Number(times); i++) {
  withTurn(folderAt(root), 'counts', () => {
    const n = Number(readFileSync(counter, 'utf8'))
    const until = performance.now() + 2
    while (performance.now() < until);
    writeFileSync(counter, String(n + 1))
  })
  // A process that waits for the lock tries every 10 ms, and would not get it if this process took it again at once.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15)
}
