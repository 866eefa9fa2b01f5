import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import { defaultValues, readManifest, settingsSchema, wrongWithSecretName } from '../index.ts'

const whole = readFileSync(new URL('./testing/whole.yaml', import.meta.url), 'utf8')
const head = 'name: a\nversion: 1.0.0\n'
const reads = (source: string | Uint8Array) => readManifest(source, { for: 'report' })
const found = (source: string | Uint8Array, mode: 'report' | 'bundle' = 'report') => {
  const read = readManifest(source, { for: mode })
  return read.ok ? [] : read.findings.map((f) => `${f.line}:${f.column} ${f.path} ${f.message}`)
}
const value = (source: string) => {
  const read = reads(source)
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  return read.value
}

test('a whole manifest is read with every part typed', () => {
  const read = readManifest(whole)
  expect(read).toEqual({
    ok: true,
    value: {
      name: 'mail-triage',
      version: '1.4.0',
      description: 'Sorts incoming mail and drafts answers.',
      instructions: 'AGENT.md',
      mcp: 'mcp.json',
      runtime: {
        kind: 'process',
        command: ['python3', '-u', 'main.py'],
        workdir: '.',
        restart: 'always',
        stop_seconds: 10,
      },
      health: { start_seconds: 60 },
      status: 'state/status.json',
      logs: [{ name: 'work', path: 'state/work.log' }],
      controls: ['pause', 'resume', 'run_now'],
      settings: [
        {
          key: 'every',
          label: 'Minutes between runs',
          type: 'number',
          min: 1,
          max: 120,
          default: 10,
          group: 'Schedule',
        },
        { key: 'tone', type: 'select', options: [{ value: 'calm', label: 'Calm' }, { value: 2 }], default: 'calm' },
        { key: 'dry', type: 'bool', default: false },
        { key: 'code', type: 'text', default: '014' },
        { key: 'until', type: 'datetime' },
      ],
      state: ['state'],
      secrets: [{ name: 'MAIL_PASSWORD', purpose: 'reads the mailbox', optional: false }],
      bindings: [{ product: 'tasks', role: 'editor', scopes: ['tasks.write'] }],
    },
  })
})

test('svc report needs a name and a version; a bundle also needs runtime', () => {
  expect(value(head)).toEqual({
    name: 'a',
    version: '1.0.0',
    health: { start_seconds: 60 },
    logs: [],
    controls: [],
    settings: [],
    state: [],
    secrets: [],
    bindings: [],
  })
  expect(found(head, 'bundle')).toEqual(['1:1 runtime The manifest must name "runtime".'])
})

test('every finding is listed at once, in the order of the file, with its line and column', () => {
  expect(found('name: Bad Name\nversion: 1.4\nstatuss: x\nlogs:\n  - {name: work}\ncontrols: [stop]\n')).toEqual([
    '1:7 name name must be lowercase letters, digits and single hyphens between them: got "Bad Name".',
    '2:10 version version must be a semantic version such as 1.4.0: got "1.4".',
    '3:1 statuss There is no key "statuss" here; did you mean "status"?',
    '5:5 logs[0].path logs[0] must name "path".',
    '6:12 controls[0] controls[0] must be one of pause, resume, run_now: got "stop".',
  ])
})

describe('YAML is read strictly (D47)', () => {
  test.each([
    ['an anchor', `${head}logs: &a []\n`, 'Anchors are not allowed'],
    ['an alias', 'name: &a x\nversion: *a\n', 'Aliases are not allowed'],
    ['a tag', `${head}description: !!str 5\n`, 'Tags are not allowed'],
    ['a bare tag', `${head}description: ! x\n`, 'Tags are not allowed'],
    ['a directive', `%YAML 1.1\n---\n${head}`, 'Directives are not allowed'],
    ['a merge key', `${head}<<: {description: x}\n`, 'Merge keys are not allowed'],
    ['a second document', `${head}---\n${head}`, 'one document'],
    ['a key twice', `${head}name: b\n`, 'a second time'],
    ['a key twice further down', `${head}health: {start_seconds: 5, start_seconds: 6}\n`, 'a second time'],
    ['a tab as indent', `${head}health:\n\tstart_seconds: 5\n`, 'YAML'],
    ['no YAML', `${head}logs: [`, 'not YAML'],
    ['nothing', '', 'empty'],
    ['a list', '- a\n', 'keys and values'],
    ['a deep nesting', `${head}state: ${'['.repeat(20)}${']'.repeat(20)}\n`, 'deeper than 16'],
    ['a nesting made to exhaust the stack', `${head}state: ${'['.repeat(60_000)}`, 'deeper than 16'],
    ['more than 64 KB', `${head}# ${'x'.repeat(65536)}`, 'at most 64 KB'],
    ['bytes that are not UTF-8', Uint8Array.of(0x6e, 0xff, 0xfe), 'UTF-8'],
    ['a missing value', 'name:\nversion: 1.0.0\n', 'has no value'],
    ['__proto__ as a key', `${head}__proto__: {a: 1}\n`, 'no key "__proto__"'],
  ])('%s is refused', (_what, source, says) => {
    expect(found(source).join('\n')).toContain(says)
  })

  test('an anchor is reported with its place', () => {
    expect(found(`${head}logs: &a []\n`)).toEqual(['3:7  Anchors are not allowed in a manifest.'])
  })

  test.each([
    '014',
    '0o14',
    '0x1F',
    '1e3',
    '1:30',
    '+5',
    '.5',
    '5.',
    '1_000',
    '.inf',
    '.nan',
    '"5"',
    '2026-01-01',
    'ten',
  ])('%s is not a number', (written) => {
    expect(found(`${head}health: {start_seconds: ${written}}\n`).join()).toMatch(
      /must be a number written like 10 or 0.5/,
    )
  })

  test.each(['no', 'yes', 'on', 'True', 'FALSE', '"true"', '1', '~'])('%s is not a boolean', (written) => {
    const source = `${head}settings: [{key: a, type: bool, default: ${written}}]\n`
    expect(found(source).join()).toMatch(/default must be a value of type bool/)
  })

  test.each(['no', '014', '1:30', '2026-01-01', 'null', '1e3', 'true'])(
    '%s is read as a text in a field for texts',
    (written) => {
      expect(value(`${head}description: ${written}\n`).description).toBe(written)
    },
  )
})

describe('contradictory values are refused', () => {
  test.each([
    [
      'two bindings of one product (D46)',
      'bindings: [{product: t, role: a, scopes: []}, {product: t, role: b, scopes: []}]',
      'names "t" a second time',
    ],
    [
      'a product id that cannot be part of a variable name',
      'bindings: [{product: my-tasks, role: a, scopes: []}]',
      'underscores',
    ],
    ['two settings that share a variable', 'settings: [{key: a, type: text}, {key: A, type: text}]', 'a second time'],
    ['a default out of bounds', 'settings: [{key: a, type: number, max: 5, default: 6}]', 'default must be 5 or less'],
    [
      'a default that is not an option',
      'settings: [{key: a, type: select, options: [{value: x}], default: y}]',
      'must be one of "x"',
    ],
    ['bounds the wrong way round', 'settings: [{key: a, type: number, min: 5, max: 1}]', 'max must not be below min'],
    ['a select without options', 'settings: [{key: a, type: select}]', 'must name its options'],
    ['bounds of a text', 'settings: [{key: a, type: text, max: 5}]', 'no meaning'],
    ['a secret that loaders obey (D51)', 'secrets: [{name: LD_PRELOAD, purpose: x}]', 'loaders'],
    [
      'a secret whose name continues in small letters',
      'secrets: [{name: MAIL_password, purpose: x}]',
      'must be capitals',
    ],
    ['a secret whose name is followed by a value', 'secrets: [{name: "A=b", purpose: x}]', 'must be capitals'],
    ['a secret whose name is reserved for svc', 'secrets: [{name: SVC_TOKEN, purpose: x}]', 'SVC_'],
    ['a log in .svc', 'logs: [{name: a, path: .SVC/agent.env}]', '.svc'],
    ['a log in a folder that some file systems take for .svc', 'logs: [{name: a, path: .\u017fvc/agent.env}]', '.svc'],
    ['a status in .svc, written with an invisible character', 'status: "\\u002es\\u200bvc/status.json"', '.svc'],
    ['state in a folder that some file systems take for .svc', 'state: [.\u017fvc]', '.svc'],
    ['a path that climbs', 'status: a/../../b', 'climb'],
    ['an absolute path', 'status: /etc/passwd', 'relative'],
    ['a drive letter', 'status: "C:x"', 'relative'],
    ['a backslash', 'status: a\\b', 'backslash'],
    ['state in state', 'state: [a, a/b]', 'is inside another'],
    ['state in a state folder', 'state: [a/, a/b]', 'is inside another'],
    ['a state path with and without a slash', 'state: [a/, a]', 'a second time'],
    ['a state path that is only a slash', 'state: [/]', 'state[0] must'],
    ['a state path with two slashes', 'state: [a//]', 'written plainly'],
    ["the runtime's folder as state", 'state: [.svc/]', 'must not be in .svc'],
    ['a shell instead of a list', 'runtime: {kind: process, command: "sh -c x"}', 'must be a list'],
    ['no program', 'runtime: {kind: process, command: []}', 'must name a program'],
    ['an unknown kind', 'runtime: {kind: docker}', 'process, compose'],
    ['command in compose', 'runtime: {kind: compose, files: [c.yaml], command: [x]}', 'no key "command"'],
  ])('%s', (_what, line, says) => {
    expect(found(`${head}${line}\n`).join('\n')).toContain(says)
  })
})

test('the reported schema holds no defaults; defaults hold every key', () => {
  const manifest = value(`${head}settings: [{key: a, type: number, default: 3}, {key: b, type: text}]\n`)
  expect(settingsSchema(manifest)).toEqual([
    { key: 'a', type: 'number' },
    { key: 'b', type: 'text' },
  ])
  expect({ ...defaultValues(manifest) }).toEqual({ a: 3, b: null })
})

test('the name of a device is not a valid name (D50)', () => {
  expect(found('name: con\nversion: 1.0.0\n').join()).toContain('device')
})

test('reading a manifest never throws, whatever is cut out of it or put into it', { timeout: 600_000 }, () => {
  const bits = [
    '',
    ' ',
    '\n',
    '\t',
    '- ',
    ': ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|',
    '>',
    '?',
    '#',
    '&a',
    '*a',
    '!',
    '\0',
    '\u2028',
  ]
  fc.assert(
    fc.property(fc.nat(whole.length), fc.nat(40), fc.constantFrom(...bits), (at, cut, bit) => {
      const read = readManifest(whole.slice(0, at) + bit + whole.slice(at + cut))
      if (!read.ok) expect(read.findings.length).toBeGreaterThan(0)
    }),
    { numRuns: byLevel(100, 300, 20_000) },
  )
})

test('a state path that ends in a slash is a folder; the slash is not part of the path (3.3)', () => {
  const state = (text: string) => {
    const read = readManifest(`name: a\nversion: 1.0.0\nstate: ${text}\n`, { for: 'report' })
    return read.ok ? { state: read.value.state, stateFolders: read.value.stateFolders } : read.findings
  }
  expect(state('[data.d/, notes]')).toEqual({ state: ['data.d', 'notes'], stateFolders: ['data.d'] })
  expect(state('[notes]')).toEqual({ state: ['notes'], stateFolders: undefined })
})

test.each([
  'DOTNET_STARTUP_HOOKS CORECLR_PROFILER PHPRC LUA_INIT R_PROFILE SSLKEYLOGFILE ZDOTDIR WGETRC BUNDLE_GEMFILE LESSOPEN SSH_ASKPASS',
  'XDG_CONFIG_HOME LD_PRELOAD DYLD_INSERT_LIBRARIES PATH PYTHONPATH NODE_OPTIONS BASH_ENV IFS GIT_SSH_COMMAND _JAVA_OPTIONS PERL5LIB',
])('no secret may be a variable that programs or their loaders obey (D51): %s', (names) => {
  expect(names.split(' ').filter((name) => wrongWithSecretName(name) === undefined)).toEqual([])
})

test('secrets that tools read from variables of their own are valid names', () => {
  const names =
    'MAIL_PASSWORD BUNDLE_GITHUB__COM NPM_TOKEN GIT_TOKEN DOCKER_PASSWORD AWS_SECRET_ACCESS_KEY R_TOKEN GEM_HOST_API_KEY'
  expect(names.split(' ').filter((name) => wrongWithSecretName(name) !== undefined)).toEqual([])
})

test.each([
  ['UTF-16', Buffer.from(`\ufeffname: mail\n`, 'utf16le'), '1:1 The manifest is UTF-16; save it as UTF-8.'],
  ['UTF-16 without a mark', Buffer.from('name: mail\n', 'utf16le'), '1:1 The manifest is UTF-16; save it as UTF-8.'],
  ['a NUL', Buffer.from('name: mail\nversion: 1.\0\n'), '2:12 The manifest has a NUL character.'],
  [
    'Latin-1',
    Buffer.from('name: mail\ndescription: Gr\u00fc\u00dfe\n', 'latin1'),
    '2:16 The manifest is not UTF-8 (byte 0xFC; it may be Latin-1 or Windows-1252); save it as UTF-8.',
  ],
])('a manifest in %s is refused, and the message names it and its place once', (_what, bytes, message) => {
  const read = readManifest(bytes)
  expect(read.ok ? [] : read.findings.map((f) => `${f.line}:${f.column} ${f.message}`)).toEqual([message])
})

test('a carriage return alone ends a line, and hides nothing behind a comment', () => {
  const text = 'name: mail\nversion: 1.0.0\n# logs\rlogs: [{ name: a, path: a.log }]\rstatus: [\r'
  expect(readManifest(text.replace('status: [\r', ''), { for: 'report' })).toMatchObject({
    ok: true,
    value: { logs: [{ name: 'a', path: 'a.log' }] },
  })
  expect(readManifest(text, { for: 'report' })).toMatchObject({ ok: false, findings: [{ line: 6 }] })
})

test('a manifest with a byte order mark and CRLF is read', () =>
  expect(readManifest(Buffer.from('\ufeffname: mail\r\nversion: 1.0.0\r\n'), { for: 'report' }).ok).toBe(true))
