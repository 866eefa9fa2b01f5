import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  adoptBlock,
  adoptLine,
  checkLine,
  connectBlock,
  connectLine,
  copyLine,
  downloadLines,
  initLine,
  initWithCodeLine,
  keepBlock,
  programLines,
  reportLine,
  runLine,
  serviceLine,
  shellWord,
  unattendedLine,
} from './paste-lines.ts'

const asTheShellReads = (word: string) =>
  execFileSync('sh', ['-c', `printf %s ${word}`], { env: { HOME: '/home/ann' } }).toString()

test.each([
  ['/srv/mail-triage', '/srv/mail-triage'],
  ['~/agents/one', '/home/ann/agents/one'],
  ['~/my agents/one', '/home/ann/my agents/one'],
  ["/srv/it's here", "/srv/it's here"],
  ['$(touch /tmp/x)', '$(touch /tmp/x)'],
  ['a;b', 'a;b'],
  ['', ''],
])('a folder %s reaches the program as it was typed', (typed, read) => {
  expect(asTheShellReads(shellWord(typed))).toBe(read)
})

test('the lines fetch the program, install it, connect and report; none contains the token', () => {
  expect(downloadLines('https://svc.example.org')).toBe(
    'curl -fsSO https://svc.example.org/cli/svc.pyz\npython3 svc.pyz self install',
  )
  expect(connectLine('https://svc.example.org', 'mail-triage', '/srv/mail')).toBe(
    'python3 svc.pyz connect --url https://svc.example.org --dir /srv/mail --name mail-triage',
  )
  expect(adoptLine('https://svc.example.org', 'vela-ada')).toBe(
    'python3 svc.pyz adopt --url https://svc.example.org --name vela-ada',
  )
  expect(reportLine('.')).toBe('python3 svc.pyz report')
})

test('the lines of an installation ask for the code; none contains it', () => {
  expect(initLine('https://svc.example.org')).toBe('python3 svc.pyz init --url https://svc.example.org')
  expect(serviceLine('mail-triage')).toBe('python3 svc.pyz service install --start --dir mail-triage')
  expect(unattendedLine('https://svc.example.org')).toBe(
    'python3 svc.pyz init --url https://svc.example.org --yes --start < code.txt',
  )
  expect(initWithCodeLine('https://svc.example.org', 'CODE')).toBe(
    ' echo CODE | python3 svc.pyz init --url https://svc.example.org --yes --start',
  )
  expect(runLine('my agent')).toBe("python3 svc.pyz run --dir 'my agent'")
})

const token = `svc_agt_${'Aa1-_'.repeat(9).slice(0, 43)}`
const shells = ['sh', 'dash', 'bash', 'zsh', 'busybox'].filter(
  (shell) => spawnSync(shell, ['--help']).error === undefined,
)

/**
 * Runs a block in a shell whose only programs are a `curl` that does nothing and a `python3` that prints its arguments
 * and, where it is given any, its standard input. Returns what they print.
 */
function paste(shell: string, block: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-block-'))
  try {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'curl'), '#!/bin/sh\n', { mode: 0o755 })
    const python = `#!/bin/sh\necho "$@"\ncase "$*" in *--token-file*) read -r given; echo "given $given";; esac\n`
    writeFileSync(join(bin, 'python3'), python, { mode: 0o755 })
    const args = shell === 'busybox' ? ['sh'] : []
    const options = { cwd: folder, input: `${block}\n`, env: { PATH: bin } }
    const { stdout, stderr } = spawnSync(which(shell), args, options)
    return `${stdout}${stderr}`.trim().split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.each(shells)('%s hands the token of a block to svc, and to nothing else', (shell) => {
  const of = { name: 'mail-triage', token }
  expect(paste(shell, connectBlock('https://svc.example.org', of))).toEqual([
    'svc.pyz self install',
    'svc.pyz connect --url https://svc.example.org --name mail-triage --yes --token-file -',
    `given ${token}`,
  ])
  expect(paste(shell, adoptBlock('https://svc.example.org', of))).toEqual([
    'svc.pyz self install',
    'svc.pyz adopt --url https://svc.example.org --name mail-triage --only jobs --yes --token-file -',
    `given ${token}`,
    'svc.pyz adopt',
  ])
})

test('every line of a block with a token begins with a space, so that shells can leave it out of their history', () => {
  for (const block of [connectBlock, adoptBlock])
    for (const line of block('https://svc.example.org', { name: 'one', token }).split('\n'))
      expect(line).toMatch(/^ \S/)
})

test.each<[typed: string, command: string[]]>([
  ['python3 main.py', ['python3', 'main.py']],
  ['  ./run.sh  --fast ', ['./run.sh', '--fast']],
  ['FOO=1 python3 main.py', ['sh', '-c', 'FOO=1 python3 main.py']],
  [`sh -c "it's \\n fine" && echo $HOME`, ['sh', '-c', `sh -c "it's \\n fine" && echo $HOME`]],
])('the command %s gets into the manifest as it was typed', (typed, command) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-keep-'))
  try {
    for (const shell of shells.filter((each) => each !== 'busybox')) {
      const file = join(folder, 'svc.agent.yaml')
      writeFileSync(file, 'name: one\nversion: 0.1.0')
      const [line = '', start] = keepBlock(typed).split('\n')
      // The line is run twice and writes the key once: a manifest with a key twice is refused.
      for (const _ of [1, 2]) execFileSync(shell, ['-c', line], { cwd: folder })
      const [, json = ''] =
        /^name: one\nversion: 0.1.0\nruntime: \{kind: process, command: (.*)\}\n$/.exec(readFileSync(file, 'utf8')) ??
        []
      expect(JSON.parse(json), shell).toEqual(command)
      expect(start).toBe('python3 svc.pyz service install --start')
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/**
 * Runs `line` in a shell that finds only `programs`, `sed`, and a `curl` that prints the checksum `sum` as the service
 * does, with one space before the file name. Returns the exit code and the output.
 */
function checks(line: string, sum: string, programs: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lines-'))
  try {
    writeFileSync(join(folder, 'svc.pyz'), 'the program')
    mkdirSync(join(folder, 'bin'))
    const all = { curl: `echo '${sum} svc.pyz'`, sed: `exec ${which('sed')} "$@"`, ...programs }
    for (const [name, does] of Object.entries(all))
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${does}\n`, { mode: 0o755 })
    const { stdout, status } = spawnSync('/bin/sh', ['-c', line], { cwd: folder, env: { PATH: join(folder, 'bin') } })
    return `${status}: ${stdout.toString().trim()}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}
const which = (program: string) =>
  execFileSync('sh', ['-c', `command -v ${program}`])
    .toString()
    .trim()
/**
 * A shell script in place of the program `shasum` of macOS, which accepts a checksum line only with two spaces before
 * the file name, or a space and a star.
 */
const shasum = `read -r line; case "$line" in *'  svc.pyz') echo "$line" | ${which('sha256sum')} -c;; *) echo 'no properly formatted checksum lines found'; exit 1;; esac`

test.each([
  ['Linux', { sha256sum: `exec ${which('sha256sum')} "$@"` }],
  ['macOS, which has no sha256sum', { shasum }],
])('the check of the file works on %s', (_system, programs) => {
  const line = checkLine('https://svc.example.org')
  const sum = createHash('sha256').update('the program').digest('hex')
  expect(checks(line, sum, programs)).toBe('0: svc.pyz: OK')
  expect(checks(line, '0'.repeat(64), programs)).toMatch(/^1: svc.pyz: FAILED/)
})

test.each(['http://localhost:8787', 'https://svc.example.org:8443', 'http://[::1]:8787', 'http://my_host'])(
  'the address %s reaches each program as it is, and no shell finds a pattern in it',
  (address) => {
    const lines = [
      connectLine(address, 'one', '.'),
      adoptLine(address, 'one'),
      initLine(address),
      downloadLines(address),
      copyLine(address, 'Python'),
    ]
    for (const line of [...lines, checkLine(address)]) {
      const [, word = ''] = /('?http\S+)/.exec(line) ?? []
      expect(asTheShellReads(word).startsWith(address)).toBe(true)
      // Outside of quotes, zsh ends a line with brackets that match no file.
      expect(word.startsWith("'") || !/[[\]]/.test(word)).toBe(true)
    }
  },
)

test.each([
  ['Python', 'python', 'python3', 'main.py'],
  ['Node', 'node', process.execPath, 'main.mjs'],
] as const)(
  'in %s, the lines of the page beside the file that it copies write a status',
  (language, at, command, main) => {
    const home = mkdtempSync(join(tmpdir(), 'svc-lines-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const file = basename(copyLine('https://svc.example.org', language))
    const sdk = join(import.meta.dirname, '../../../../../sdk', at)
    writeFileSync(join(home, file), readFileSync(join(sdk, file)))
    const folder = `it's "here" \\ €`
    for (const of of [
      { folder, name: 'mail-triage' },
      { folder: '', name: 'mail-triage' },
    ]) {
      writeFileSync(join(home, main), programLines(language, of))
      execFileSync(command, [main], { cwd: home })
      const { state } = JSON.parse(readFileSync(join(home, of.folder, 'status.json'), 'utf8'))
      expect(state).toEqual({ level: 'ok', label: 'mail-triage works' })
    }
  },
)
