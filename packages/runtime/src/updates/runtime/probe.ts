/** Step `proving`: the new file must start in a separate process before it is put in place (I22). */
import { spawn } from 'node:child_process'
import { clean } from '@svc/protocol'
import { duration } from '../../machine/base/time.ts'
import { lastingNode } from '../../machine/programs/node.ts'
import type { StepResult } from './fetch.ts'

const seconds = 20

/**
 * Runs the new file with `--self-check`, with the Node that its next start will use. The check passes if the exit code is
 * 0 and a line of JSON names the wished version.
 */
export function proving(file: string, root: string, wish: string, signal: AbortSignal): Promise<StepResult> {
  return new Promise((resolve) => {
    const child = spawn(lastingNode(), ['-e', 'require(process.argv[1])', file, '--self-check', '--dir', root], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The process group has ended already.
      }
    }
    const fell = (why: string) => resolve({ is: 'falls', why: `it does not start: ${why}` })
    const timer = setTimeout(
      () => {
        end()
        fell(`it was not ready within ${seconds} s`)
      },
      Math.max(duration(seconds), 5000),
    )
    const stop = () => {
      end()
      resolve({ is: 'dropped', why: 'the runtime was stopped' })
    }
    signal.addEventListener('abort', stop, { once: true })
    let out = ''
    let err = ''
    child.stdout?.on('data', (part: Buffer) => {
      out = (out + part).slice(-4096)
    })
    child.stderr?.on('data', (part: Buffer) => {
      err = (err + part).slice(-4096)
    })
    child.once('error', (error) => resolve({ is: 'unable', why: `it could not be tried: ${error.message}` }))
    child.once('close', (code, killed) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      end() // the check may have left processes behind, so its whole group is ended
      const ended = killed === null ? `it ended with code ${code}` : `it was ended by ${killed}`
      if (code === 0 && versionIn(out) === wish) resolve({ is: 'done', value: undefined })
      else fell(lastWords(err) ?? (code === 0 ? 'it does not say that it is well' : ended))
    })
  })
}

/** The line of JSON that `--self-check` prints if everything is fine. */
export const selfCheckLine = (version: string): string => JSON.stringify({ selfCheck: 'good', version })

function versionIn(out: string): string | undefined {
  for (const line of out.split('\n')) {
    try {
      const { selfCheck, version } = JSON.parse(line)
      if (selfCheck === 'good') return version
    } catch {
      // The line is not JSON, so it is something else that the program printed.
    }
  }
  return undefined
}

/** The most telling line of a stack trace: the one that names the error, otherwise the last. */
function lastWords(err: string): string | undefined {
  const lines = err.split('\n').filter((line) => line.trim() !== '')
  const named = lines.find((line) => /^(?:Uncaught )?\w*Error\b.*:/.test(line)) ?? lines.at(-1)
  return named === undefined ? undefined : clean(named).trim().slice(0, 160)
}
