/**
 * Tests an agent that prints more than the five megabytes of one file, and continues while the runtime rotates the
 * file. `npm test` leaves this out. packages/runtime/src/launcher/output.test.ts proves the same rules.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { becomes, starts } from '../../testing/folder.ts'
import { installedAgent } from '../../testing/installed.ts'
import { startService } from '../../testing/service.ts'
import { maxOutputBytes } from './output.ts'

/**
 * The agent prints 200 lines of a kilobyte at once, which is about the number of lines that one rotation can lose. The
 * test allows five times that number for a busy machine.
 */
const burst = 200
const maxLost = 5 * burst
const lines = 14_000
const talker = `const fs = require('node:fs')
const dir = process.env.SVC_STATE_DIR
fs.appendFileSync(dir + '/starts', JSON.stringify({ pid: process.pid, cwd: '', env: {} }) + '\\n')
let n = 0
setInterval(() => {
  // After its first lines, the agent waits until somebody follows them.
  if (n > 0 && !fs.existsSync(dir + '/followed')) return
  let text = ''
  for (let i = 0; i < ${burst} && n < ${lines}; i++) text += 'line ' + n++ + ' ' + 'x'.repeat(1000) + '\\n'
  fs.writeSync(1, text)
  if (n === ${lines}) fs.writeFileSync(dir + '/done', '')
}, 25)
`
const whole = /^line \d+ x{1000}$/
const numberOf = (line: string): number => Number(line.split(' ')[1])
const numbers = (text: string): number[] => {
  const all = text.split('\n').filter(Boolean)
  for (const line of all) expect(line).toMatch(whole)
  return all.map(numberOf)
}

test('the agent is not disturbed, every line is in one of the files except those printed during a rotation, and "svc logs -f" continues', async () => {
  const service = await startService()
  afterThisTest(() => service.close())
  const agent = await installedAgent(service, { 'main.cjs': talker })
  afterThisTest(() => agent.remove())
  const running = starts(agent, ['run'], { scale: 0.05 })
  afterThisTest(() => running.end('SIGKILL'))
  await becomes('the first lines', () => readFileSync(agent.output, 'utf8').includes('line 0 '))
  const following = starts(agent, ['logs', '-f', '--lines', '1'])
  afterThisTest(() => following.end('SIGKILL'))
  await following.said(`line ${burst - 1} `)
  writeFileSync(`${agent.state}/followed`, '')
  await becomes('the last line', () => existsSync(`${agent.state}/done`))
  await following.said(`line ${lines - 1} `)

  const files = [3, 2, 1].map((n) => `${agent.output}.${n}`).filter((file) => existsSync(file))
  expect(files.length, 'rotated').toBeGreaterThan(0)
  const kept = [...files, agent.output].map((file) => numbers(readFileSync(file, 'utf8')))
  for (const file of files) expect(readFileSync(file).length).toBeGreaterThan(maxOutputBytes)
  for (const [i, part] of kept.entries()) {
    expect(part, `one after the other in file ${i}`).toEqual(part.map((_, at) => (part[0] ?? 0) + at))
    const lost = i === 0 ? (part[0] ?? 0) : (part[0] ?? lines) - (kept[i - 1]?.at(-1) ?? 0) - 1
    expect(lost, `before file ${i}`).toBeGreaterThanOrEqual(0)
    expect(lost, `before file ${i}`).toBeLessThanOrEqual(i === 0 ? 0 : maxLost)
  }
  expect(kept.flat().at(-1)).toBe(lines - 1)

  // "svc logs -f" may show part of the lines that a rotation lost, and stop in the middle of such a line.
  const shown = following.lines.filter(Boolean)
  expect(shown.filter((line) => !whole.test(line)).length, 'parts of lines').toBeLessThanOrEqual(files.length)
  const seen = shown.filter((line) => whole.test(line)).map(numberOf)
  expect(seen, 'in order, nothing twice').toEqual([...new Set(seen)].sort((a, b) => a - b))
  const keptSince = kept.flat().filter((n) => n >= (seen[0] ?? lines))
  const isShown = new Set(seen)
  // If "svc logs -f" gets no processor time before a rotation, it misses the rest of one file, in one piece. It never
  // misses anything of the last file.
  const missed = keptSince.filter((n) => !isShown.has(n))
  const gaps = missed.filter((n, i) => n - 1 !== missed[i - 1]).length
  expect(gaps, 'pieces kept and not shown').toBeLessThanOrEqual(files.length)
  expect(missed.filter((n) => kept.at(-1)?.includes(n))).toEqual([])
  expect(agent.starts(), 'one start').toHaveLength(1)
  expect(await running.end()).toEqual({ code: 0, signal: null })
})
