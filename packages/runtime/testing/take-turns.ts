/**
 * Takes the lock `turn` a given number of times, and each time adds one to a number in a file. The number is right in
 * the end only if nobody else does the same at the same time without the lock. If the argument is the word `dies`
 * instead of a number, the process takes the lock once and kills itself while it holds it.
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
