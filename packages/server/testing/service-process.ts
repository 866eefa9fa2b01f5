/** Runs the service and `svc-server` for tests as people run them: as separate processes, in a folder of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../testing/free-port.ts'
import { programs } from '../../../testing/program.ts'
import { within } from '../../../testing/within.ts'
import type { OperatorOutcome } from '../src/operator/socket/socket.ts'
import { askOperator, type Ran, runHere, runsHere } from './operator.ts'

/**
 * The folder, ports and environment variables of one service. `newServiceHome` makes it for a test and removes the
 * folder afterwards.
 */
export class ServiceHome {
  readonly folder: string
  readonly env: Record<string, string>
  readonly url: string
  readonly opsUrl: string
  /** The main file of `svc-server`. A test may set the main file of another version. */
  program = programs.server
  /** The id of the user that runs the programs of this service; by default the user who runs the test. */
  uid: number | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(folder: string, ports: { page: number; ops: number }, more: Record<string, string> = {}) {
    this.folder = folder
    this.url = `http://localhost:${ports.page}`
    this.opsUrl = `http://127.0.0.1:${ports.ops}`
    this.env = {
      PATH: process.env.PATH ?? '',
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_PORT: String(ports.page),
      SVC_METRICS_PORT: String(ports.ops),
      ...more,
    }
  }

  /** The same folder and ports, where programs run as another user. */
  as(uid: number): ServiceHome {
    const other = new ServiceHome(
      this.folder,
      { page: Number(this.env.SVC_PORT), ops: Number(this.env.SVC_METRICS_PORT) },
      this.env,
    )
    return Object.assign(other, { program: this.program, uid })
  }

  get dataDir(): string {
    return this.env.SVC_DATA_DIR ?? ''
  }

  /**
   * Runs `svc-server` with these arguments until it ends. The command runs in the test's own process, one command after
   * another, unless the program itself matters: for another user or version, and for `start`, `restore` and `move`.
   */
  run(args: string[], input = ''): Promise<Ran> {
    if (!this.#isUsual || !runsHere(args)) return this.runProgram(args, input)
    const { env, folder: cwd } = this
    const ran = this.#turn.then(() => runHere(args, { env, cwd }, input))
    this.#turn = ran.catch(() => {})
    return ran
  }

  /** Runs `svc-server` in a separate process. */
  async runProgram(args: string[], input = ''): Promise<Ran> {
    const child = this.#spawn(args)
    const said = { stdout: '', stderr: '' }
    for (const out of ['stdout', 'stderr'] as const)
      child[out]?.setEncoding('utf8').on('data', (text: string) => {
        said[out] += text
      })
    child.stdin?.on('error', () => {}) // The program may end without reading its input.
    child.stdin?.end(input)
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, ...said }
  }

  /**
   * Runs `svc-server … --json` and returns the value that it prints; any failure fails the test. If a service runs on
   * the data folder, the test asks the service through its socket, as the program would.
   */
  async value<T>(args: string[], input = ''): Promise<T> {
    const outcome = await this.#asked(args, input)
    if (outcome?.ok) return outcome.value as T
    if (outcome) throw new Error(`svc-server ${args.join(' ')} was refused: ${outcome.message}`)
    const { code, stdout, stderr } = await this.run([...args, '--json'], input)
    if (code !== 0) throw new Error(`svc-server ${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  /** Starts the service as a separate process and waits until it is ready. */
  async start(): Promise<ServiceProcess> {
    const service = this.begin()
    onTestFinished(() => service.kill('SIGKILL').then(() => {}))
    await service.ready()
    return service
  }

  /** Starts the service as a separate process. The caller has to wait until it is ready, and to stop it. */
  begin(): ServiceProcess {
    return new ServiceProcess(this.#spawn(['start', '--json']))
  }

  get #isUsual(): boolean {
    return this.uid === undefined && this.program === programs.server
  }

  /**
   * Asks the running service to carry out a command of `svc-server`. Undefined if no service runs, if a running service
   * never carries out this command, if the data is in PostgreSQL, or if the test runs the program as another user or in
   * another version.
   */
  async #asked(args: string[], input: string): Promise<OperatorOutcome | undefined> {
    if (!this.#isUsual || this.env.SVC_DATABASE_URL !== undefined) return undefined
    return await askOperator({ dataDir: this.dataDir, cwd: this.folder, args, input })
  }

  #spawn(args: string[]): ChildProcess {
    const { folder: cwd, env, uid } = this
    return spawn(process.execPath, [this.program, ...args], {
      cwd,
      env,
      stdio: 'pipe',
      ...(uid !== undefined && { uid }),
    })
  }
}

export class ServiceProcess {
  readonly child: ChildProcess
  /** The lines of the log that the service wrote to standard error. */
  log = ''
  said = ''
  /**
   * The link with which the first person makes an account; null once somebody has an account, and until the service is
   * ready.
   */
  link: string | null = null
  readonly ended: Promise<number | NodeJS.Signals>

  constructor(child: ChildProcess) {
    this.child = child
    this.ended = once(child, 'close').then(([code, signal]) => code ?? signal)
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.said += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log += text
    })
  }

  async ready(): Promise<void> {
    const gone = this.ended.then((code) => {
      throw new Error(`The service ended with ${code}: ${this.log}`)
    })
    const line = () => `the first line of the service. Its log:\n${this.log.slice(-2000)}`
    const said = () => Promise.race([once(this.child.stdout ?? process.stdin, 'data'), gone])
    while (!this.said.includes('\n')) await within(line, said())
    this.link = (JSON.parse(this.said.split('\n')[0] ?? '') as { link: string | null }).link
    gone.catch(() => {})
  }

  /** Waits until the log of the service contains this text. */
  async logs(text: string): Promise<void> {
    const isLogged = () => this.log.includes(text)
    const line = () => `${JSON.stringify(text)} in the log. Its end:\n${this.log.slice(-2000)}`
    while (!isLogged()) await within(line, once(this.child.stderr ?? process.stdin, 'data'))
  }

  /** Sends a signal and waits for the end; returns the exit code, or the signal that ended the process. */
  async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal)
    return await this.ended
  }
}

/** Makes a temporary folder and chooses free ports for one service; `more` are further environment variables. */
export async function newServiceHome(more: Record<string, string> = {}, name = 'svc-place-'): Promise<ServiceHome> {
  const folder = mkdtempSync(join(tmpdir(), name))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return new ServiceHome(folder, { page: await freePort(), ops: await freePort() }, more)
}

/** Sends a report to a service over HTTP, as an agent does. */
export const report = (url: string, token: string, body: object = {}): Promise<Response> =>
  fetch(`${url}/api/agent/v1/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ protocol: 1, ...body }),
  })

/** Uses the operator's commands to make an activated workspace, an admin who signs in with `password`, and an agent. */
export async function populate(home: ServiceHome): Promise<{ token: string; email: string; password: string }> {
  const email = 'ada@example.org'
  const password = 'correct horse battery'
  await home.value(['workspace', 'create', 'north', '--name', 'North'])
  await home.value(['workspace', 'activate', 'north', 'svc'])
  await home.value(['person', 'create', email, '--name', 'Ada', '--workspace', 'north', '--role', 'admin'], password)
  const { token } = await home.value<{ token: string }>(['agent', 'create', 'north/mail'])
  return { token, email, password }
}
