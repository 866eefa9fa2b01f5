/** Tests programs of their own, because what happens at an exit cannot be seen in the process that exits. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Runs a program that has the functions of at-exit.ts. Returns what it wrote, when nobody can write more. */
async function ran(program: string): Promise<{ out: string; err: string }> {
  const begins = `import { spawn } from 'node:child_process'
    import { atExit, killAtExit } from ${JSON.stringify(join(import.meta.dirname, 'at-exit.ts'))}
    const says = (word) => () => console.log(word)\n`
  const args = ['--input-type=module', '--eval', begins + program]
  const child = spawn(process.execPath, args)
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  await once(child, 'close')
  return said
}

test('everything is done at the exit, also beside an error, and nothing that was forgotten', async () => {
  const { out } = await ran(`
    atExit(says('first'))
    atExit(() => { throw new Error('broken') })
    atExit(says('forgotten'))()
    const last = says('last')
    atExit(last)
    atExit(last)()
    process.exit()`)
  expect(out).toBe('first\nlast\n')
})

test('a process is killed at the exit, and fifty cause no warning', async () => {
  // The processes hold the output of the program, so it ends only when they have ended.
  const { out, err } = await ran(`
    const children = Array.from({ length: 50 }, () => spawn('sleep', ['1000'], { stdio: ['ignore', 'inherit', 'ignore'] }))
    for (const child of children) killAtExit(child)
    console.log(children.length)
    process.exit()`)
  expect(out).toBe('50\n')
  expect(err).not.toContain('MaxListeners')
})

test('everything is done when a worker of the tests is terminated', async () => {
  const { out } = await ran(`
    await import(${JSON.stringify(join(import.meta.dirname, 'cleaning.ts'))})
    atExit(says('removed'))
    setInterval(() => {}, 1000)
    process.kill(process.pid, 'SIGTERM')`)
  expect(out).toBe('removed\n')
})
