/**
 * Tests the built file `svc.pyz`: two builds give equal files, and the file runs the same program whether the shell,
 * Node or Python starts it. `npm test` leaves this out. It builds the program twice to compare the results; every
 * other test of processes runs the result.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nothingShared, readShared, sharedText } from './archive/parts.ts'
import { buildRuntime, ownKeys } from './build.ts'
import { whoHolds } from './src/machine/files/lock.ts'
import { agentFolder, reporter } from './testing/folder.ts'
import { startService } from './testing/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-build-'))
const outDir = join(folder, 'cli')
const file = join(outDir, 'svc.pyz')
const shared = nothingShared()
beforeAll(async () => {
  await buildRuntime({ outDir, version: '7.8.9', shared })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const has = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const python = has('python3')
/**
 * The Node that runs the tests and other installations of Node on this machine, since the program must run on Node 20
 * and newer.
 */
const nodes = [process.execPath, ...['/usr/bin/node', '/usr/local/bin/node'].filter(has)]
const prints = (program: string, args: string[], cwd = folder, env = process.env) =>
  new Promise<string>((resolve, reject) =>
    execFile(program, args, { cwd, env }, (error, out, err) => (error ? reject(new Error(err)) : resolve(out.trim()))),
  )
/** Returns the path of the real Python, even if `python3` in the PATH is a wrapper script. */
const realPython = () => execFileSync('python3', ['-c', 'import sys; print(sys.executable)']).toString().trim()
const environOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
/** Returns the arguments with which Node loads a file as a program, as the first line of `svc.pyz` does. */
const load = (path: string, ...args: string[]) => ['-e', 'require(process.argv[1])', path, ...args]

test('two builds of one version have the same bytes, and the checksum file says so', async () => {
  const again = await buildRuntime({ outDir: join(folder, 'elsewhere/deeper'), version: '7.8.9' })
  const bytes = readFileSync(file)
  expect(readFileSync(again.file).equals(bytes)).toBe(true)
  expect(again.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(readFileSync(`${file}.sha256`, 'utf8')).toBe(`${again.sha256} svc.pyz\n`)
})

test('another version gives another file, and what builds share changes none of its bytes', async () => {
  const other = await buildRuntime({ outDir: join(folder, 'other'), version: '7.9.0', shared })
  expect(await prints(process.execPath, load(other.file, '--version'))).toBe('7.9.0')
  const again = await buildRuntime({ outDir: join(folder, 'again'), version: '7.8.9', shared })
  expect(readFileSync(again.file).equals(readFileSync(file))).toBe(true)
  const read = readShared(await sharedText(shared))
  const elsewhere = await buildRuntime({ outDir: join(folder, 'read'), version: '7.8.9', shared: read })
  expect(readFileSync(elsewhere.file).equals(readFileSync(file))).toBe(true)
})

test.each(nodes)('%s loads it, by any name and below any package.json', async (node) => {
  const inModules = join(folder, 'type module')
  mkdirSync(inModules, { recursive: true })
  writeFileSync(join(inModules, 'package.json'), '{"type":"module"}')
  copyFileSync(file, join(inModules, 'svc.pyz'))
  copyFileSync(file, join(inModules, 'svc'))
  expect(await prints(node, load(file, '--version'))).toBe('7.8.9')
  expect(await prints(node, load('./svc.pyz', '--version'), inModules)).toBe('7.8.9')
  expect(await prints(node, load('./svc', '--version'), inModules)).toBe('7.8.9')
  expect(await prints(node, [file, '--version'])).toBe('7.8.9')
  expect(await prints(node, load(file, '--help'))).toContain(' connect')
})

const starters: [by: string, command: () => string[]][] = [['the shell', () => [file]]]
if (python) starters.push(['Python', () => [realPython(), file]])
test.runIf(process.platform === 'linux').each(starters)(
  'started by %s it uses only one arena of memory',
  async (_by, command) => {
    const service = await startService()
    const agent = agentFolder({}, service.origin)
    const { MALLOC_ARENA_MAX: _, ...env } = process.env
    const [program = '', ...args] = command()
    const child = spawn(program, [...args, 'report', '--dir', agent.root], {
      stdio: 'ignore',
      env: { ...env, SVC_TIME_SCALE: '0.02' },
    })
    try {
      await service.reported(1)
      expect(environOf(child.pid)).toContain('MALLOC_ARENA_MAX=1')
    } finally {
      child.kill('SIGKILL')
      await service.close()
      agent.remove()
    }
  },
)

test('the shell starts it, also below "type": "module" and through a link', async () => {
  const link = join(folder, 'svc')
  symlinkSync(file, link)
  expect(await prints(file, ['--version'])).toBe('7.8.9')
  expect(await prints(join(folder, 'type module/svc.pyz'), ['--version'])).toBe('7.8.9')
  expect(await prints(link, ['--version'])).toBe('7.8.9')
  mkdirSync(join(folder, '.svc/runtime'), { recursive: true })
  copyFileSync(file, join(folder, '.svc/runtime/svc.pyz'))
  const paths = ['type module/svc.pyz', '.svc/runtime/svc.pyz', './.svc/runtime/svc.pyz', '../svc', '//.svc/../svc']
  for (const path of paths) {
    const typed = path.startsWith('//') ? `${folder}/${path}` : path
    const cwd = path.startsWith('..') ? join(folder, '.svc') : folder
    expect(await prints(typed, ['--version'], cwd), path).toBe('7.8.9')
  }
})

test.runIf(python)('Python starts it as a zip application, and Node takes the process over', async () => {
  expect(await prints('python3', [file, '--version'])).toBe('7.8.9')
  expect(await prints('python3', ['svc.pyz', '--version'], join(folder, 'type module'))).toBe('7.8.9')
  const service = await startService()
  const agent = agentFolder({}, service.origin)
  const child = spawn(realPython(), [file, 'report', '--dir', agent.root], {
    stdio: 'ignore',
    env: { ...process.env, SVC_TIME_SCALE: '0.02' },
  })
  try {
    await service.reported(1)
    expect(whoHolds(agent, 'runtime')?.pid).toBe(child.pid)
  } finally {
    child.kill('SIGKILL')
    await service.close()
    agent.remove()
  }
})

test.runIf(python)('a file that is cut says so in the first error of Python, wherever it is cut', async () => {
  const bytes = readFileSync(file)
  for (const length of [200, 50_000, bytes.length >> 1, bytes.length - 5]) {
    const cut = join(folder, 'cut.pyz')
    writeFileSync(cut, bytes.subarray(0, length))
    await expect(prints('python3', [cut, '--version'])).rejects.toThrow('svc.pyz_is_cut.Download_it_again')
  }
  expect(bytes.indexOf(10), 'kernels read 127 bytes of the first line').toBeLessThanOrEqual(127)
})

test.runIf(python)('without a Node that is new enough it says so in one sentence', async () => {
  const old = join(folder, 'old')
  mkdirSync(old, { recursive: true })
  writeFileSync(join(old, 'node'), '#!/bin/sh\necho v18.20.0\n', { mode: 0o755 })
  const main = execFileSync('python3', [
    '-c',
    `import zipfile; print(zipfile.ZipFile(${JSON.stringify(file)}).read("__main__.py").decode())`,
  ]).toString()
  const script = join(old, 'main.py')
  writeFileSync(script, main.replace(/^PLACES = .*$/m, 'PLACES = []'))
  const python3 = realPython()
  await expect(prints(python3, [script], folder, { PATH: old })).rejects.toThrow(
    /svc needs Node 20 or newer, and found only older: .*node\. Install it/,
  )
  await expect(prints(python3, [script], folder, { PATH: '' })).rejects.toThrow(/found none\./)
  const broken = join(folder, 'broken')
  mkdirSync(broken, { recursive: true })
  writeFileSync(join(broken, 'node'), '#!/bin/sh\necho "node: bad openssl.cnf" >&2\nexit 13\n', { mode: 0o755 })
  await expect(
    prints(python3, [script], folder, { PATH: broken }),
    'a Node that fails is not an older one',
  ).rejects.toThrow(
    /found none that starts\. \S+node does not start \(exit code 13: node: bad openssl\.cnf\)\. Install it/,
  )
  const both = { PATH: `${broken}:${old}`, SVC_NODE: join(old, 'node') }
  await expect(prints(python3, [script], folder, both)).rejects.toThrow(
    /only older: \S+node\. \S+node does not start \(exit code 13: .*\)\. Install it/,
  )
  await expect(prints(python3, [script], folder, { PATH: '', SVC_NODE: '/nowhere/node' })).rejects.toThrow(
    /found none that starts\. \/nowhere\/node does not start \(No such file or directory\)\./,
  )
})

test.runIf(python)('Python reads the release from the archive without running anything', async () => {
  expect(await prints('python3', ['-m', 'zipfile', '-l', file])).toMatch(
    /__main__\.py[\s\S]*release\.json[\s\S]*NOTICES\.txt/,
  )
  expect(await prints('python3', ['-m', 'zipfile', '-t', file])).toBe('Done testing')
  const release = await prints('python3', [
    '-c',
    `import zipfile; print(zipfile.ZipFile(${JSON.stringify(file)}).read("release.json").decode())`,
  ])
  expect(JSON.parse(release)).toEqual({ version: '7.8.9', leastNode: 20, keys: ownKeys() })
})

test.runIf(python)('it contains the licences of everything in it', async () => {
  const text = (name: string) =>
    prints('python3', [
      '-c',
      `import zipfile; print(zipfile.ZipFile(${JSON.stringify(file)}).read("${name}").decode())`,
    ])
  expect(await text('LICENSE')).toContain('Apache License')
  const notices = await text('NOTICES.txt')
  const named = [...notices.matchAll(/^(\S+) \d[\w.-]* \([\w.-]+\)$/gm)].map(([, name]) => name)
  // NOTICES.txt in `svc.pyz` must name the libraries that svc imports, and the dependencies of these libraries.
  expect(named).toEqual([
    '@clack/core',
    '@clack/prompts',
    'commander',
    'croner',
    'fast-string-truncated-width',
    'fast-string-width',
    'fast-wrap-ansi',
    'pend',
    'sisteransi',
    'yaml',
    'yauzl',
  ])
  expect(notices.match(/^Copyright|^Permission to use|^The MIT License/gm)?.length).toBeGreaterThanOrEqual(named.length)
})

test('nothing in the file names the machine it was built on', () => {
  const text = readFileSync(file, 'latin1')
  const packed = text.split('\n').flatMap((line) => (/^\/\/([\w+/=]+)$/.exec(line)?.[1] ? [line.slice(2)] : []))
  const parts = packed.map((part) => inflateRawSync(Buffer.from(part, 'base64')).toString())
  expect(parts.filter((part) => part.includes('/api/agent/v1/report')).length).toBeGreaterThan(1)
  const direct = text.split('\n').flatMap((line) => /^\/\/ ([\w+/=]+)$/.exec(line)?.[1] ?? [])
  expect(direct.length).toBe(1)
  for (const all of [text, ...parts, Buffer.from(direct[0] ?? '', 'base64').toString()]) {
    expect(all).not.toContain(process.cwd())
    expect(all).not.toContain('node_modules')
  }
})

test('the built file reports like the sources, under its own version', async () => {
  const service = await startService()
  const agent = agentFolder({}, service.origin)
  const running = reporter(agent, 0.02, load(file))
  try {
    expect((await service.reported(1)).report.runtime).toEqual({ version: '7.8.9' })
    expect(await running.end()).toEqual({ code: 0, signal: null })
  } finally {
    running.child.kill('SIGKILL')
    await service.close()
    agent.remove()
  }
})

const managed = `name: mail-triage
version: 1.4.0
runtime: {kind: process, command: [sleep, "1000"]}
controls: [pause, resume, run_now]
`
/**
 * The maximum memory of a process in bytes. The goal is 80 MB, and the rest allows for differences between machines.
 */
const maxBytes = 95_000_000
const rssOf = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

test.runIf(process.platform === 'linux').each(nodes)(
  'svc run stays small on %s, and reads a known manifest without loading the YAML reader',
  async (node) => {
    const service = await startService()
    const agent = agentFolder({ 'svc.agent.yaml': managed }, service.origin)
    const { MALLOC_ARENA_MAX: _, ...env } = process.env
    const run = async () => {
      const child = spawn(node, load(file, 'run', '--dir', agent.root), {
        stdio: 'ignore',
        env: { ...env, SVC_TIME_SCALE: '0.05' },
      })
      try {
        const { report } = await service.reported(service.reports.length + 2)
        return { report, bytes: rssOf(child.pid) }
      } finally {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
    }
    try {
      const first = await run()
      expect(first.report.controls).toEqual(['pause', 'resume', 'run_now'])
      expect(first.bytes).toBeLessThan(maxBytes)
      const known = join(agent.journal, 'manifest.json')
      writeFileSync(known, readFileSync(known, 'utf8').replace('"run_now"', '"pause"'))
      expect((await run()).report.controls, 'it takes the copy').toEqual(['pause', 'resume', 'pause'])
      writeFileSync(agent.manifest, managed.replace('1.4.0', '1.4.1'))
      expect((await run()).report, 'of this very text only').toMatchObject({
        agent: { version: '1.4.1' },
        controls: ['pause', 'resume', 'run_now'],
      })
    } finally {
      await service.close()
      agent.remove()
    }
  },
)
