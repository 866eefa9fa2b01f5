/**
 * Tests that svc is never the reason why a command does not run, whatever Node finds in its surroundings. Each row is
 * one surrounding, in which the command runs alone and then with `svc-exec`. Both must say the same and end alike, and
 * the run is recorded, or noted as one without a record. `npm test` takes a third of the rows of each kind.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { type Account, newAccount } from '../../../testing/jobs.ts'
import { setAsideVariables } from './guard.ts'

let ada: Account
beforeAll(async () => {
  ada = await newAccount()
  mkdirSync(ada.jobs, { recursive: true })
})
afterAll(() => ada.remove())

const command = `sh -c 'echo out; echo err >&2; cat; env | grep -v SVC_ | sort; ls; ulimit -S -c; exit 3'`
let count = 0

/**
 * Runs the command alone and as a job, after these lines of a shell. Returns both ends, and what svc wrote about it.
 */
async function both(lines: string, by = 'svc-exec') {
  rmSync(join(ada.jobs, 'unrecorded'), { force: true })
  const job = `row-${count++}`
  const ran = async (start: string) => {
    const options = { input: 'in\n', env: { PWD: undefined, OLDPWD: undefined, SHLVL: undefined } }
    const { code, out, err } = await ada.line(`${lines}\nexec ${start} ${command}`, options)
    return { code, out, err }
  }
  const [alone, wrapped] = [await ran(''), await ran(`${by} ${job} --`)]
  const isRecorded = existsSync(join(ada.jobs, job)) && ada.runs(job).at(-1)?.exit === alone.code
  const noted = existsSync(join(ada.jobs, 'unrecorded')) ? ada.unrecorded() : []
  return { alone, wrapped, written: isRecorded ? 'record' : noted.join().replace(`${job} `, '') }
}

const fixed = (name: string, text: string) => {
  writeFileSync(join(ada.home, name), text)
  return name
}
/**
 * With `record`, the run must be recorded. Otherwise it may also be noted as a run without a record, for this reason,
 * as when Node cannot start.
 */
type Row = readonly [what: string, lines: () => string, written?: string]
type Whole = [what: string, lines: () => string, written: string]
const starts = 'record'
const may = 'node-does-not-start'

const some = <T>(rows: readonly T[]): readonly T[] =>
  rows.filter((_, at) => at % byLevel(3, 1, 1) === 1 % byLevel(3, 1, 1))

const variables: Row[] = [
  ['no special one', () => ':'],
  ['settings of OpenSSL that are missing', () => 'export OPENSSL_CONF=/nowhere/x.cnf'],
  [
    'settings of OpenSSL with a mistake',
    () =>
      `export OPENSSL_CONF="$HOME/${fixed('bad.cnf', '[section\n')}" OPENSSL_MODULES=/nowhere OPENSSL_ENGINES=/nowhere`,
  ],
  [
    'certificates that are missing',
    () => 'export SSL_CERT_FILE=/nowhere SSL_CERT_DIR=/nowhere NODE_EXTRA_CA_CERTS=/nowhere',
  ],
  [
    'a channel of Node that is none',
    () => 'export NODE_CHANNEL_FD=abc NODE_CHANNEL_SERIALIZATION_MODE=json NODE_UNIQUE_ID=7',
  ],
  [
    'what Node shall say',
    () => 'export NODE_DEBUG=child_process,fs,timer NODE_DEBUG_NATIVE=mksnapshot NODE_PENDING_DEPRECATION=1',
  ],
  ['options that Node does not have', () => 'export NODE_OPTIONS="--no-such-option"'],
  ['options that load what is missing', () => 'export NODE_OPTIONS="--require /nowhere/x.js" NODE_PATH=/nowhere'],
  [
    'data of ICU that is missing, and numbers of libuv',
    () => 'export NODE_ICU_DATA=/nowhere UV_THREADPOOL_SIZE=-1 UV_USE_IO_URING=7',
  ],
  [
    'folders and files that nobody can write',
    () =>
      'export NODE_V8_COVERAGE=/proc/x NODE_COMPILE_CACHE=/proc/x TMPDIR=/proc/x NODE_REPL_HISTORY=/proc/x NODE_REDIRECT_WARNINGS=/proc/x',
  ],
  ['a strange zone and language', () => 'export TZ=:/nowhere LANG=xx LC_ALL=zz'],
  ['an empty zone', () => 'export TZ= NODE_OPTIONS='],
  ['no search path', () => 'alias sh=/bin/sh env=/usr/bin/env; export NODE_PATH= FORCE_COLOR=3 NO_COLOR=1'],
]

const limits: Row[] = [
  ...[13, 20, 32].map((n): Row => [`${n} open files`, () => `ulimit -n ${n}`, may]),
  ...[20_000, 700_000].map((n): Row => [`${n} KB of addresses`, () => `ulimit -v ${n}`, may]),
  ['a small stack', () => 'ulimit -s 200', may],
  ['one second', () => 'ulimit -t 1'],
  ['no core files', () => 'ulimit -c 0'],
  ['core files', () => 'ulimit -S -c unlimited'],
  ['core files and few open ones', () => 'ulimit -S -c unlimited; ulimit -n 16', may],
]

const files: Row[] = [
  ['no standard input', () => 'exec <&-'],
  ['no standard output', () => 'exec >&-'],
  ['no standard error', () => 'exec 2>&-'],
  ['no standard file', () => 'exec <&- >&- 2>&-'],
  ['a folder as input', () => 'exec </'],
  ['an input that is for writing', () => 'exec 0>>input'],
  ['a full device as output', () => 'exec >/dev/full'],
  ['four further files', () => 'exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null'],
  [
    'all further files',
    () => 'exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null 8</dev/null 9</dev/null',
  ],
  ['a folder that is gone', () => 'mkdir gone; cd gone; rmdir ../gone'],
]

describe.runIf(process.platform === 'linux')('a command ends as it does alone, and its run is written down', () => {
  const rows = [...some(variables), ...some(limits), ...some(files)].map(
    ([what, lines, written = starts]): Whole => [what, lines, written],
  )
  test.each<Whole>(rows)('with %s', async (_what, lines, reason) => {
    const { alone, wrapped, written } = await both(lines())
    // Every shell reports that its folder is gone, and `svc-exec` is a shell script.
    const says = (err: string) => err.replace(/^.*getcwd\(\) failed.*\n/gm, '')
    expect({ ...wrapped, err: says(wrapped.err) }).toEqual({ ...alone, err: says(alone.err) })
    expect(['record', ...(reason === starts ? [] : [reason, 'no-room'])]).toContain(written)
  })

  test('the variables that are set aside are those that a row has, and each is given back', async () => {
    const names = setAsideVariables.split(' ')
    const { alone, wrapped } = await both(names.map((name) => `export ${name}="two  words of ${name}"`).join('\n'))
    expect(wrapped).toEqual(alone)
    for (const name of names) expect(wrapped.out).toContain(`${name}=two  words of ${name}\n`)
    const hidden = join(ada.home, 'without-proc')
    writeFileSync(hidden, readFileSync(ada.svcExec, 'utf8').replaceAll('/proc/$$/environ', '/nowhere'))
    const listed = await both(
      names.map((name) => `export ${name}="two  words of ${name}"`).join('\n'),
      `sh "${hidden}"`,
    )
    expect(listed).toMatchObject({ wrapped: listed.alone, written: 'record' })
  })
})

/** Writes a launcher that runs this text in the place of Node and waits for at most a second. */
function launcherWith(node: string): string {
  const file = join(ada.home, 'node-of-a-test')
  writeFileSync(file, `#!/bin/sh\n${node}\n`, { mode: 0o755 })
  const text = readFileSync(ada.svcExec, 'utf8')
    .replace(/^svc_exec_node=.*$/m, `svc_exec_node='${file}'`)
    .replace(/^svc_exec_limit=.*$/m, 'svc_exec_limit=1')
  const other = join(ada.home, 'other-svc-exec')
  writeFileSync(other, text, { mode: 0o755 })
  return `"${other}"`
}

describe('a Node that does not start the command is none', () => {
  const nodes = [
    ['prints its version and ends', 'echo v24.0.0'],
    ['prints its version and fails', 'echo v24.0.0; echo oops >&2; exit 13'],
    ['reads the input of the command', 'cat; exit 1'],
    ['ends by a signal', 'kill -SEGV $$'],
    ['hangs', 'exec sleep 1000'],
    ['hangs and ignores signals', `trap '' TERM INT HUP; while :; do sleep 0.2; done`],
    ['ends with the code of a job', 'exit 3'],
  ]
  test.each(some(nodes))('it %s', async (_what, node) => {
    const { alone, wrapped, written } = await both(':', launcherWith(node))
    expect(wrapped).toEqual(alone)
    expect(written).toBe('node-does-not-start')
  })

  test('a signal during the start is for the command', async () => {
    const child = ada.starts(['backup', '--', 'echo', 'done'], {
      by: ['sh', '-c', `exec ${launcherWith('kill -TERM $PPID; exec sleep 1000')} "$@"`, 'sh'],
    })
    const ended = await new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)))
    expect(ended).toBe('SIGTERM')
  })
})

const setpriv = (() => {
  try {
    execFileSync('setpriv', ['--version'], { stdio: 'ignore' })
    return process.getuid?.() === 0
  } catch {
    return false
  }
})()

describe.runIf(setpriv)('a command runs if its user may start few processes', () => {
  const uid = 54_321
  test.each(byLevel([2], [0, 2, 3, 8], [0, 2, 3, 8]))('no more than %i', async (most) => {
    const home = join(ada.home, 'few')
    const jobs = join(home, '.local/state/svc/host/state/jobs')
    execFileSync('mkdir', ['-p', jobs])
    execFileSync('chown', ['-R', `${uid}:${uid}`, home])
    for (const folder of [join(ada.home, '..'), ada.home]) chmodSync(folder, 0o755)
    const file = join(home, 'svc-exec')
    const text = readFileSync(ada.svcExec, 'utf8').replace(/^svc_exec_limit=.*$/m, 'svc_exec_limit=1')
    writeFileSync(file, text, { mode: 0o755 })
    chownSync(file, uid, uid)
    const as = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '/bin/sh', '-c']
    const line = `cd "$HOME"; ulimit -u ${most} 2>/dev/null || ulimit -p ${most}; exec ./svc-exec few -- /bin/echo done`
    expect(await ada.exec([line], { by: as, env: { HOME: home } })).toEqual({ code: 0, out: 'done\n', err: '' })
  })
})
