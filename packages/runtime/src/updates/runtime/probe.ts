/** Step `proving`: the new file must start in a separate process before it is put in place (I22). */
import { clean, cut } from '@svc/protocol'
import { scaledMs } from '../../machine/base/time.ts'
import { lastingNode } from '../../machine/programs/node.ts'
import { runChild } from './child.ts'
import type { StepResult } from './fetch.ts'

const probeSeconds = 20

/**
 * Runs the new file with `--self-check`, with the Node that its next start will use. The check passes if the exit code
 * is 0 and a line of JSON names the wished version.
 */
export async function proveRuntimeFile(
  file: string,
  root: string,
  wish: string,
  signal: AbortSignal,
): Promise<StepResult> {
  const ended = await runChild(lastingNode(), ['-e', 'require(process.argv[1])', file, '--self-check', '--dir', root], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    limit: Math.max(scaledMs(probeSeconds), 5000),
    signal,
    kept: (output) => output.slice(-4096),
  })
  const fell = (why: string): StepResult => ({ is: 'falls', why: `it does not start: ${why}` })
  switch (ended.is) {
    case 'late':
      return fell(`it was not ready within ${probeSeconds} s`)
    case 'stopped':
      return { is: 'dropped', why: 'the runtime was stopped' }
    case 'not started':
      return { is: 'unable', why: `it could not be tried: ${ended.why}` }
  }
  const { code, killed, out, err } = ended
  if (code === 0 && versionIn(out) === wish) return { is: 'done', value: undefined }
  const how = killed === null ? `it ended with code ${code}` : `it was ended by ${killed}`
  return fell(lastWords(err) ?? (code === 0 ? 'it does not say that it is well' : how))
}

/** The line of JSON that `--self-check` prints if the check passes. */
export const selfCheckLine = (version: string): string => JSON.stringify({ selfCheck: 'good', version })

function versionIn(out: string): string | undefined {
  for (const line of out.split('\n')) {
    try {
      const { selfCheck, version } = JSON.parse(line)
      if (selfCheck === 'good') return version
    } catch {
      // The line is not JSON. The program may print other lines, too.
    }
  }
  return undefined
}

/** The line of a stack trace that names the error; if there is none, the last line. */
function lastWords(err: string): string | undefined {
  const lines = err.split('\n').filter((line) => line.trim() !== '')
  const named = lines.find((line) => /^(?:Uncaught )?\w*Error\b.*:/.test(line)) ?? lines.at(-1)
  return named === undefined ? undefined : cut(clean(named).trim(), 160)
}
