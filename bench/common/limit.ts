/**
 * Starts one of the limit servers T and L (report/limit.ts) as a process, for a fleet of a given size. The limit
 * servers do only the work that no server can avoid, and are measured for comparison with the service.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { killAtExit } from '../../testing/at-exit.ts'

export interface Limit {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export async function startLimit(agents: number, rows: 'T' | 'L' = 'T', env: NodeJS.ProcessEnv = {}): Promise<Limit> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-t-'))
  const program = join(import.meta.dirname, '../report/limit.ts')
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, join(folder, 'limit.db'), rows],
    {
      env: { ...process.env, ...env, SVC_BENCH_AGENTS: String(agents) },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  killAtExit(child)
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    port: Number(port),
    pid: child.pid ?? 0,
    async stop() {
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
