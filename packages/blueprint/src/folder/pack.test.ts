import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkFolder, examineFolder, findingText, packFolder, readBundle } from '../index.ts'

let root: string
/** The folder of a file system in memory, in which thousands of folders cost nothing. */
const memory = '/dev/shm'
beforeEach(() => {
  root = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'svc-pack-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const manifest =
  'name: mail\nversion: 1.4.0\nstatus: state/status.json\nlogs: [{ name: work, path: work.log }]\nstate: [state]\nruntime: { kind: process, command: [./run.sh] }\n'
const files = {
  'svc.agent.yaml': manifest,
  'run.sh': '#!/bin/sh\n',
  'docs/b.txt': 'b',
  'docs/a.txt': 'a'.repeat(9999),
  'na\u00efve': 'x',
}

function folder(name: string, contents: Readonly<Record<string, string>>): string {
  const dir = join(root, name)
  mkdirSync(dir)
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
    if (path === 'run.sh') chmodSync(join(dir, path), 0o755)
  }
  return dir
}
async function packed(dir: string) {
  const made = await packFolder(dir)
  if (!made.ok) throw new Error(made.message)
  return made.value
}
const pathsOf = async (dir: string) => (await packed(dir)).entries.map((e) => e.path)

test('packing gives a bundle with its files in byte order and with the executable bit', async () => {
  const { bytes, sha256, entries } = await packed(folder('a', files))
  expect(await readBundle(bytes)).toMatchObject({ ok: true, value: { sha256, entries } })
  expect(entries.map((e) => `${e.path}${e.executable ? '*' : ''}`)).toEqual([
    'docs/a.txt',
    'docs/b.txt',
    'na\u00efve',
    'run.sh*',
    'svc.agent.yaml',
  ])
})

test('the same files give the same bytes, whatever their order, times and modes, and with an empty folder added', async () => {
  const one = await packed(folder('one', files))
  const other = folder('other', Object.fromEntries(Object.entries(files).reverse()))
  for (const path of Object.keys(files)) {
    utimesSync(join(other, path), 1e9, 1e9)
    chmodSync(join(other, path), path === 'run.sh' ? 0o700 : 0o600)
  }
  mkdirSync(join(other, 'hollow'))
  expect(Buffer.compare((await packed(other)).bytes, one.bytes)).toBe(0)
})

test('the bytes are those of the previous release, so a folder keeps its checksum', async () => {
  expect((await packed(folder('a', files))).sha256).toMatchInlineSnapshot(
    `"064eb57399172bccd7e7ad6532b3e815c0f7214f26862a2a9666e6a008264740"`,
  )
})

describe('files that do not belong to the blueprint are left out', () => {
  test("the runtime's folder, version control, the agent's state, environment files and packed bundles are left out", async () => {
    const dir = folder('a', {
      ...files,
      '.svc/agent.env': 'SVC_TOKEN=x',
      '.git/config': 'x',
      'state/status.json': '{}',
      'state/deep/mail': 'x',
      'work.log': 'x',
      '.env': 'PASSWORD=x',
      'docs/.env.local': 'x',
      'lib/__pycache__/a.pyc': 'x',
      'mail-1.3.0.zip': 'x',
      'other.zip': 'x',
    })
    expect(await pathsOf(dir)).toEqual([
      'docs/a.txt',
      'docs/b.txt',
      'na\u00efve',
      'other.zip',
      'run.sh',
      'svc.agent.yaml',
    ])
    expect((await packed(dir)).leftOut).toEqual([
      '.env',
      'docs/.env.local',
      'lib/__pycache__/',
      'mail-1.3.0.zip',
      'state/',
      'work.log',
    ])
  })

  test('a log that stands for many leaves out each of its files, and nothing else', async () => {
    const dir = folder('a', {
      'svc.agent.yaml': manifest.replace('{ name: work, path: work.log }', '{ name: job/*, path: jobs/*/last.log }'),
      'run.sh': 'x',
      'jobs/backup/last.log': 'x',
      'jobs/backup/notes.txt': 'x',
      'jobs/mail/old/last.log': 'x',
    })
    expect(await pathsOf(dir)).toEqual(['jobs/backup/notes.txt', 'jobs/mail/old/last.log', 'run.sh', 'svc.agent.yaml'])
  })

  test.each([
    ['*.txt', ['na\u00efve', 'run.sh', 'svc.agent.yaml']],
    ['/a.txt', ['docs/a.txt', 'docs/b.txt', 'na\u00efve', 'run.sh', 'svc.agent.yaml']],
    ['docs/', ['na\u00efve', 'run.sh', 'svc.agent.yaml']],
    ['docs/*\n!docs/b.txt', ['docs/b.txt', 'na\u00efve', 'run.sh', 'svc.agent.yaml']],
    ['# docs\n\n**/b.???  ', ['docs/a.txt', 'na\u00efve', 'run.sh', 'svc.agent.yaml']],
    ['docs/[!a].txt', ['docs/a.txt', 'na\u00efve', 'run.sh', 'svc.agent.yaml']],
    ['!state/seed.json', ['docs/a.txt', 'docs/b.txt', 'na\u00efve', 'run.sh', 'state/seed.json', 'svc.agent.yaml']],
  ])('.svcignore decides what is left out: %j', async (lines, paths) => {
    const dir = folder('a', { ...files, '.svcignore': lines, 'state/seed.json': '{}', 'state/status.json': '{}' })
    expect(await pathsOf(dir)).toEqual(paths)
  })

  test('what macOS adds to archives and folders is left out', async () => {
    const dir = folder('a', {
      ...files,
      '__MACOSX/._run.sh': 'x',
      '.DS_Store': 'x',
      'docs/._a.txt': 'x',
      'docs/.DS_Store': 'x',
    })
    const { entries, leftOut } = await packed(dir)
    expect(entries.map((e) => e.path).filter((path) => /mac|ds_|\._/i.test(path))).toEqual([])
    expect(leftOut).toEqual(['.DS_Store', '__MACOSX/', 'docs/.DS_Store', 'docs/._a.txt'])
  })

  test('.svcignore with a byte order mark counts, and one that is not text is refused', async () => {
    const dir = folder('a', { ...files, '.svcignore': '\ufeffdocs\r\n' })
    expect(await pathsOf(dir)).not.toContain('docs/a.txt')
    writeFileSync(join(dir, '.svcignore'), Buffer.from('\ufeffdocs\n', 'utf16le'))
    expect(checkFolder(dir).map(findingText)).toEqual(['.svcignore: is UTF-16; save it as UTF-8'])
  })

  test.each([
    ['a link that leads nowhere', (file: string) => symlinkSync('none', file), 'is a link that leads nowhere'],
    [
      'a link to itself',
      (file: string) => symlinkSync('.svcignore', file),
      'is a link that cannot be followed (ELOOP)',
    ],
    ['a folder', (file: string) => mkdirSync(file), 'is not a regular file'],
    [
      'Latin-1',
      (file: string) => writeFileSync(file, 'cl\u00e9\n', 'latin1'),
      /^is not UTF-8 .byte 0xE9 at line 1, column 3/,
    ],
  ])('%s in the place of .svcignore packs nothing, and is the only finding', async (_what, make, message) => {
    const dir = folder('a', files)
    make(join(dir, '.svcignore'))
    expect(checkFolder(dir)).toEqual([
      { file: '.svcignore', message: typeof message === 'string' ? message : expect.stringMatching(message) },
    ])
    expect(await packFolder(dir)).toMatchObject({ ok: false, code: 'bundle_refused' })
  })

  test('a rule that is not understood packs nothing, and is named with its line', async () => {
    const dir = folder('a', { ...files, '.svcignore': '*.txt\n[0-9\n' })
    const says = '.svcignore:2: "[0-9" has a "[" without a "]"; write "\\[" for the sign itself'
    expect(checkFolder(dir).map(findingText)).toEqual([says])
    expect(await packFolder(dir)).toMatchObject({ ok: false, message: says })
  })

  test('a line takes nothing back from a folder that another line leaves out, as in git, and a warning says so', async () => {
    const dir = folder('a', { ...files, '.svcignore': 'docs/\n!*.txt\n' })
    expect(await pathsOf(dir)).toEqual(['na\u00efve', 'run.sh', 'svc.agent.yaml'])
    const { warnings } = examineFolder(dir)
    expect(warnings.map(findingText)).toEqual([
      '.svcignore:2: does not take back docs/a.txt: line 1 leaves out its folder as a whole. Let that line end in "/*"',
    ])
    expect((await packed(dir)).warnings).toEqual(warnings)
  })

  test('.svc is never packed, whatever .svcignore takes back', async () => {
    const dir = folder('a', { ...files, '.svcignore': '!.svc\n!.svc/agent.env', '.svc/agent.env': 'SVC_TOKEN=x' })
    expect(await pathsOf(dir)).not.toContain('.svc/agent.env')
  })
})

test('everything wrong with a folder is found at once, with file and line, and nothing is packed', async () => {
  const dir = folder('a', {
    ...files,
    'svc.agent.yaml': `${manifest}instructions: AGENT.md\nmcp: mcp.json\n`,
    'docs/A.txt': 'x',
    'back\\slash': 'x',
    'cafe\u0301': 'x',
  })
  symlinkSync('/etc/passwd', join(dir, 'link'))
  const findings = checkFolder(dir).map(findingText)
  expect(findings).toEqual([
    'link: is a symbolic link',
    'back\\slash: holds a backslash',
    'cafe\u0301: is not in Unicode form NFC',
    'docs/a.txt: appears twice for file systems that take it for "docs/A.txt"',
    'svc.agent.yaml:7:15: names "AGENT.md", which is missing',
    'svc.agent.yaml:8:6: names "mcp.json", which is missing',
  ])
  expect(await packFolder(dir)).toMatchObject({ ok: false, code: 'bundle_refused', findings: checkFolder(dir) })
})

test.each([
  ['no folder', () => join(root, 'none'), /^The bundle is made of a folder, and there is none at/],
  ['a file', () => join(folder('a', files), 'run.sh'), /^The bundle is made of a folder/],
  ['a folder without a manifest', () => folder('a', { x: 'x' }), /^svc\.agent\.yaml: is missing/],
  [
    'a file over 50 MB',
    () => folder('a', { ...files, big: 'x'.repeat(50 * 1024 * 1024 + 1) }),
    /^big: unpacks to more than 50 MB/,
  ],
  [
    'a folder with 5,040 folders in it',
    () =>
      folder('a', {
        ...files,
        ...Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`${`${i}/`.repeat(63)}f`, 'x'])),
      }),
    /^The bundle has more than 5000 folders/,
  ],
])('%s cannot be packed', async (_what, dir, says) => {
  const made = await packFolder(dir())
  expect(made.ok ? '' : made.message).toMatch(says)
})

test.each([
  [
    'a missing program',
    { 'svc.agent.yaml': manifest.replace('./run.sh', './start.sh') },
    'svc.agent.yaml: starts "./start.sh", which is not in the bundle',
  ],
  [
    'a missing script',
    { 'svc.agent.yaml': manifest.replace('./run.sh', 'python3, main.py') },
    'svc.agent.yaml: starts "main.py", which is not in the bundle',
  ],
  [
    'a program that is not executable',
    { 'svc.agent.yaml': manifest.replace('./run.sh', './na\u00efve') },
    'svc.agent.yaml: starts "./na\u00efve", which is not executable',
  ],
  [
    'a missing folder',
    { 'svc.agent.yaml': manifest.replace('command', 'workdir: src, command') },
    'svc.agent.yaml: starts the agent in "src", and there is no file in it',
  ],
  [
    'a key',
    { id_rsa: 'x' },
    'id_rsa: looks like a secret; everybody who gets the bundle can read it. Secrets are asked for at "svc init"',
  ],
])('this gives a hint and no refusal: %s', (_what, changed, hint) => {
  const { findings, hints } = examineFolder(folder('a', { ...files, ...changed }))
  expect(findings).toEqual([])
  expect(hints.map(findingText)).toEqual([hint])
})

test('status and logs under state/ that state does not name give a warning with line and column', () => {
  const unkept = `${manifest.replace('state: [state]\n', '')}`.replace('path: work.log', 'path: state/work.log')
  const said = (text: string) => {
    const { findings, warnings } = examineFolder(folder('a', { ...files, 'svc.agent.yaml': text }))
    rmSync(join(root, 'a'), { recursive: true })
    return [findings.length, warnings.map(findingText)]
  }
  const never =
    'but not "state" under state: what the agent writes to SVC_STATE_DIR is never read there. Add "state: [state]"'
  expect(said(unkept)).toEqual([
    0,
    [
      `svc.agent.yaml:3:9: names "state/status.json", ${never}`,
      `svc.agent.yaml:4:28: names "state/work.log", ${never}`,
    ],
  ])
  expect(said(manifest)).toEqual([0, []])
  expect(said(`${unkept}state: [state/]\n`)).toEqual([0, []])
})

test.each([
  ['state: [state]', 'state: ["data/*.db", "state"]', ['5:9', 'data/*.db']],
  ['status: state/status.json', 'status: "state/status-?.json"', ['3:9', 'state/status-?.json']],
  ['{ name: work, path: work.log }', '{ name: work, path: "w[0-9].log" }', ['4:28', 'w[0-9].log']],
  ['{ name: work, path: work.log }', '{ name: work/*, path: state/*/work.log }', undefined],
] as const)('a path with signs of a pattern gives a warning, as it is taken literally: %s -> %s', (old, now, says) => {
  const { warnings } = examineFolder(folder('a', { ...files, 'svc.agent.yaml': manifest.replace(old, now) }))
  const of = says && `svc.agent.yaml:${says[0]}: names "${says[1]}", which is no pattern here: `
  expect(warnings.map(findingText)).toEqual(of ? [`${of}it is one file or folder of exactly this name`] : [])
})

test.each(['agent.env', 'config/secrets.env'])('%s in the bundle gives a warning (4, rule 3)', (path) => {
  const { warnings, hints } = examineFolder(folder('a', { ...files, [path]: 'TOKEN=x' }))
  expect(warnings.map(findingText)).toEqual([
    `${path}: must not be in a bundle: tokens and secrets come to the machine at "svc init"`,
  ])
  expect(hints).toEqual([])
})

test('a good folder has neither findings nor hints', () => {
  expect(examineFolder(folder('a', files))).toMatchObject({
    findings: [],
    warnings: [],
    hints: [],
    manifest: { name: 'mail' },
  })
})
