/** Tests commands whose output cannot be written, because the disk is full or the reader of the pipe has ended. */
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { programs } from '../../../../../testing/program.ts'
import { agentFolder, becomes } from '../../../testing/folder.ts'
import { installedAgent } from '../../../testing/installed.ts'
import { startService } from '../../../testing/service.ts'
import { readNote } from '../../state/process-note.ts'

type Place = 'pipe' | number
interface Ended {
  readonly code: number | null
  readonly err: string
}

/** Runs a command of svc whose outputs go to these places. */
function runs(root: string, args: readonly string[], out: Place, err: Place): Promise<Ended> {
  const child = spawn(process.execPath, [programs.svc, ...args], { cwd: root, stdio: ['ignore', out, err] })
  let text = ''
  child.stderr?.on('data', (part: Buffer) => {
    text += part.toString()
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, err: text })))
}

const full = (): number => {
  const fd = openSync('/dev/full', 'w')
  afterThisTest(() => closeSync(fd))
  return fd
}

describe.skipIf(!existsSync('/dev/full'))('an output on a full disk', () => {
  test.each(['status', 'why', 'doctor --offline', 'settings --json', 'help', 'status --nonsense'])(
    'of "%s" is one line on standard error and an exit code, and no stack trace',
    async (words) => {
      const folder = agentFolder()
      afterThisTest(() => folder.remove())
      const args = words.split(' ')
      const one = await runs(folder.root, args, full(), 'pipe')
      expect(one.code).not.toBe(0)
      expect(one.err).not.toMatch(/^\s+at /m)
      if (words !== 'status --nonsense') expect(one.err).toMatch(/^svc: The output could not be written: .*ENOSPC.*\n$/)
      expect((await runs(folder.root, args, full(), full())).code, 'both outputs').not.toBe(0)
    },
  )

  test('does not disturb "svc run": the agent runs and stops as usual', async () => {
    const service = await startService()
    afterThisTest(() => service.close())
    const agent = await installedAgent(service)
    afterThisTest(() => agent.remove())
    const child = spawn(process.execPath, [programs.svc, 'run'], { cwd: agent.root, stdio: ['ignore', full(), full()] })
    afterThisTest(() => child.kill('SIGKILL'))
    const ended = new Promise((resolve) => child.on('close', resolve))
    await becomes('a running agent', () => readNote(agent)?.state.is === 'running')
    await service.reported(1)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(readFileSync(agent.runtimeLog, 'utf8')).toContain('the agent is stopped')
  })
})

test('a reader that ends early ends the command without a word', async () => {
  const folder = agentFolder()
  afterThisTest(() => folder.remove())
  const out = execFileSync('sh', ['-c', '"$0" "$1" why 2>&1 | head -c 1', process.execPath, programs.svc], {
    cwd: folder.root,
    encoding: 'utf8',
  })
  expect(out).toHaveLength(1)
})
