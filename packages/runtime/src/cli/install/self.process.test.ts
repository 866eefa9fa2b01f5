/**
 * Tests the built `svc.pyz` as the command `svc` of a user account: the folder into which it is installed, the hints,
 * which begin with the words that the person typed, and the warning if the command is older than the runtime.
 */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentFolder, python } from '../../../testing/folder.ts'
import { quickBuild } from '../../../testing/releases.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-self-')))
const newer = join(root, 'newer/svc.pyz')
beforeAll(async () => {
  await quickBuild({ outDir: root, version: '1.4.0' })
  await quickBuild({ outDir: dirname(newer), version: '1.5.0' })
  mkdirSync(join(root, 'node'))
  symlinkSync(process.execPath, join(root, 'node/node'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs a command line in a shell, in the folder `cwd`, with `home` as the user's home folder. */
function shell(home: string, line: string, cwd = root): Promise<{ code: number; out: string; err: string }> {
  const env = { HOME: home, SHELL: '/bin/bash', PATH: `${join(root, 'node')}:${process.env.PATH}` }
  return new Promise((done) =>
    execFile('/bin/sh', ['-c', line], { cwd, env }, (error, out, err) =>
      done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    ),
  )
}
const newHome = (name: string): string => {
  mkdirSync(join(root, name))
  return join(root, name)
}
const bin = (home: string) => join(home, '.local/bin')
/**
 * The option for the folder of the installed command. The tests always give it, since the default is another folder if
 * root runs them.
 */
const to = '--to "$HOME/.local/bin"'
const withPath = (home: string, line: string) => `export PATH="${bin(home)}:$PATH"; ${line}`

test('svc.pyz is a command once it is fetched and installed, and if its folder is not in PATH it prints the line that fixes that', async () => {
  const home = newHome('first')
  const start = python ? 'python3 svc.pyz' : './svc.pyz'
  const installed = await shell(home, `${start} self install ${to}`)
  expect(installed).toMatchObject({ code: 0, err: '' })
  expect(installed.out).toContain(`Installed svc 1.4.0 as ${bin(home)}/svc.`)
  const line = /^ {2}(export PATH=.*)$/m.exec(installed.out)?.[1]
  expect(await shell(home, `${line}; svc --version`)).toMatchObject({ code: 0, out: '1.4.0\n' })
  const again = await shell(home, withPath(home, `svc self install ${to}`))
  expect(again.out).toBe(`${bin(home)}/svc is svc 1.4.0 already.\n`)
  const renewed = await shell(home, withPath(home, `${newer} self install ${to} --json`))
  expect(JSON.parse(renewed.out)).toMatchObject({ version: '1.5.0', changed: true, inPath: true })
  expect(readFileSync(join(bin(home), 'svc')).equals(readFileSync(newer))).toBe(true)
})

test('another program of that name is left alone, and one that a shell finds first is named', async () => {
  const home = newHome('second')
  mkdirSync(bin(home), { recursive: true })
  writeFileSync(join(bin(home), 'svc'), '#!/bin/sh\n')
  expect((await shell(home, `./svc.pyz self install ${to}`)).err).toContain('is another program')
  expect(readFileSync(join(bin(home), 'svc'), 'utf8')).toBe('#!/bin/sh\n')
  chmodSync(join(bin(home), 'svc'), 0o755)
  const elsewhere = await shell(home, withPath(home, './svc.pyz self install --to "$HOME/tools"'))
  expect(elsewhere.out).toContain(`Your shell finds another svc first: ${bin(home)}/svc.`)
})

test('svc-exec is written beside svc, also where svc was installed before there was one, and another program is left alone', async () => {
  const home = newHome('exec')
  const exec = join(bin(home), 'svc-exec')
  const installed = JSON.parse((await shell(home, `./svc.pyz self install ${to} --json`)).out)
  expect(installed).toMatchObject({ changed: true, launcher: exec })
  expect(await shell(home, `${exec} backup -- sh -c 'exit 7'`)).toEqual({ code: 7, out: '', err: '' })
  expect(existsSync(join(home, '.local/state/svc/host/state/jobs/backup/job.json'))).toBe(true)
  rmSync(exec)
  const renewed = await shell(home, `./svc.pyz self install ${to}`)
  expect(renewed.out).toContain(`${bin(home)}/svc is svc 1.4.0 already.\nWrote ${exec}, which runs`)
  writeFileSync(exec, readFileSync(exec, 'utf8').replace('exec "$@"', '# of an earlier version'))
  expect((await shell(home, `./svc.pyz self install ${to}`)).out).toContain(`Wrote ${exec}`)
  expect(readFileSync(exec, 'utf8')).toContain(`svc_exec_node=${join(root, 'node/node')}\n`)
  writeFileSync(exec, '#!/bin/sh\n')
  const refused = await shell(home, `${newer} self install ${to}`)
  expect(refused).toMatchObject({ code: 1, err: `${exec} is another program. Choose another folder with --to.\n` })
  expect(readFileSync(exec, 'utf8')).toBe('#!/bin/sh\n')
  expect(readFileSync(join(bin(home), 'svc')).equals(readFileSync(newer)), 'nothing is replaced then').toBe(false)
})

test('svc-exec knows the folder for state of the account that installed it, which root does not take from its shell', async () => {
  const home = newHome('state')
  await shell(home, `XDG_STATE_HOME="$HOME/own state" ./svc.pyz self install ${to}`)
  await shell(home, `${join(bin(home), 'svc-exec')} backup -- true`)
  const folder = process.getuid?.() === 0 ? '.local/state' : 'own state'
  expect(existsSync(join(home, folder, 'svc/host/state/jobs/backup'))).toBe(true)
})

test('a hint starts with the words that started the program, and names the folder that was given', async () => {
  const home = newHome('third')
  await shell(home, `./svc.pyz self install ${to}`)
  const agent = agentFolder()
  const hintOf = async (line: string, cwd?: string) =>
    /start it with "(.*)"/.exec((await shell(home, line, cwd)).out)?.[1]
  expect(await hintOf(`./svc.pyz status --dir ${agent.root}`)).toBe(`./svc.pyz report --dir ${agent.root}`)
  expect(await hintOf(withPath(home, 'svc status'), agent.root)).toBe('svc report')
  if (python)
    expect(await hintOf(`python3 svc.pyz status --dir ${agent.root}`)).toBe(
      `python3 svc.pyz report --dir ${agent.root}`,
    )
  agent.remove()
})

test('a command that is older than the runtime in the folder says so, and how to renew it', async () => {
  const home = newHome('fourth')
  const agent = agentFolder()
  mkdirSync(agent.runtimeFolder, { recursive: true })
  copyFileSync(newer, agent.runtime)
  chmodSync(agent.runtime, 0o755)
  const old = await shell(home, `./svc.pyz status --dir ${agent.root}`)
  const renew = /Renew the command with: (.*)$/m.exec(old.err)?.[1]
  expect(old.err).toBe(`This svc is 1.4.0, and the runtime in this folder is 1.5.0. Renew the command with: ${renew}\n`)
  expect((await shell(home, `${renew} ${to}`)).code).toBe(0)
  expect((await shell(home, withPath(home, `svc status --dir ${agent.root}`))).err).toBe('')
  expect(existsSync(join(bin(home), 'svc'))).toBe(true)
  agent.remove()
})
