/**
 * Takes the lock `turn` repeatedly, and each time adds one to a number in a file. The number is right in the end only
 * if nobody else does the same at the same time without the lock. With `dies` as the number of times, the process kills
 * itself while it holds the lock.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { folderAt } from '../src/files/folder.ts'
import { inTurn } from '../src/files/lock.ts'

const [root = '.', counter = '', times = '1'] = process.argv.slice(2)
if (times === 'dies') inTurn(folderAt(root), 'dies', () => process.kill(process.pid, 'SIGKILL'))
for (let i = 0; i < Number(times); i++) {
  inTurn(folderAt(root), 'counts', () => {
    const n = Number(readFileSync(counter, 'utf8'))
    const until = performance.now() + 2
    while (performance.now() < until);
    writeFileSync(counter, String(n + 1))
  })
}
