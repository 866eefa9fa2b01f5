import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '../platform/errors.ts'
import { configOf, readConfig, variableWords } from './config.ts'

const config = (variables: Record<string, string>) => configOf(variables, '/srv')

test('without settings the service is for this machine alone, with its data in the current folder', () => {
  expect(config({})).toMatchObject({
    baseUrl: 'http://localhost:8787',
    host: '127.0.0.1',
    port: 8787,
    dataDir: '/srv/svc-data',
    databaseUrl: undefined,
    trustedProxies: [],
    outboundAllow: [],
    metricsPort: 9787,
    logLevel: 'info',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  })
})

test('the base address follows the port unless it is set', () => {
  expect(config({ SVC_PORT: '9000' }).baseUrl).toBe('http://localhost:9000')
  expect(config({ SVC_PORT: '9000', SVC_BASE_URL: 'https://svc.example.org/' }).baseUrl).toBe('https://svc.example.org')
})

test.each([
  ['SVC_BASE_URL', 'HTTPS://SVC.example.org:443/', { baseUrl: 'https://svc.example.org' }],
  ['SVC_HOST', '::', { host: '::' }],
  ['SVC_DATA_DIR', '/var/lib/svc', { dataDir: '/var/lib/svc' }],
  ['SVC_DATA_DIR', 'data', { dataDir: '/srv/data' }],
  ['SVC_DATABASE_URL', 'postgres://svc:pw@db/svc', { databaseUrl: 'postgres://svc:pw@db/svc' }],
  ['SVC_DATABASE_URL', 'postgres://svc@/svc?host=%2Frun', { databaseUrl: 'postgres://svc@/svc?host=%2Frun' }],
  ['SVC_TRUSTED_PROXIES', '10.0.0.1, ::1', { trustedProxies: ['10.0.0.1', '::1'] }],
  ['SVC_TRUSTED_PROXIES', '172.31.87.0/24 ::ffff:10.0.0.1', { trustedProxies: ['172.31.87.0/24', '10.0.0.1'] }],
  ['SVC_OUTBOUND_ALLOW', '10.0.0.0/8, ::1', { outboundAllow: ['10.0.0.0/8', '::1'] }],
  ['SVC_HEARTBEAT_URL', 'https://hc.example.org/ping/1', { heartbeatUrl: 'https://hc.example.org/ping/1' }],
  ['SVC_SMTP_URL', 'smtp://mail.example.org', { smtpUrl: 'smtp://mail.example.org', mailFrom: 'svc@localhost' }],
  ['SVC_SMTP_URL', 'smtps://svc:p%40ss@[::1]:465/', { smtpUrl: 'smtps://svc:p%40ss@[::1]:465/' }],
  ['SVC_MAIL_FROM', 'svc@example.org', { mailFrom: 'svc@example.org' }],
  ['SVC_MAIL_FROM', 'North alerts <svc@example.org>', { mailFrom: 'North alerts <svc@example.org>' }],
  ['SVC_METRICS_PORT', '0', { metricsPort: 0 }],
  ['SVC_METRICS_FLEET', 'on', { metricsFleet: true, metricsAgents: 5000 }],
  ['SVC_METRICS_FLEET', 'off', { metricsFleet: false }],
  ['SVC_METRICS_FLEET', '', { metricsFleet: false }],
  ['SVC_METRICS_AGENTS', '100000', { metricsAgents: 100_000 }],
  ['SVC_LOG_LEVEL', 'debug', { logLevel: 'debug' }],
  ['SVC_PASSWORD_HASH', 'argon2id', { passwordForm: 'argon2id' }],
  ['SVC_PASSWORD_HASH', '', { passwordForm: 'scrypt' }],
  ['SVC_SECURITY_CONTACT', 'security@example.org', { securityContact: 'mailto:security@example.org' }],
  ['SVC_SECURITY_CONTACT', 'https://example.org/report', { securityContact: 'https://example.org/report' }],
  ['SVC_PORT', ' 80 ', { port: 80, baseUrl: 'http://localhost' }],
  ['SVC_PORT', '', { port: 8787 }],
])('%s=%s is understood', (name, value, meant) => {
  expect(config({ [name]: value })).toMatchObject(meant)
})

test.each([
  ['SVC_BASE_URL', 'svc.example.org'],
  ['SVC_BASE_URL', 'ftp://svc.example.org'],
  ['SVC_BASE_URL', 'https://svc.example.org/svc'],
  ['SVC_BASE_URL', 'https://svc.example.org/?'],
  ['SVC_BASE_URL', 'https://user@svc.example.org'],
  ['SVC_HOST', 'svc.example.org:80'],
  ['SVC_PORT', '0'],
  ['SVC_PORT', '65536'],
  ['SVC_PORT', '80a'],
  ['SVC_PORT', '-1'],
  ['SVC_METRICS_PORT', 'off'],
  ['SVC_METRICS_FLEET', 'yes'],
  ['SVC_METRICS_FLEET', 'On'],
  ['SVC_METRICS_AGENTS', '0'],
  ['SVC_METRICS_AGENTS', '100001'],
  ['SVC_METRICS_AGENTS', '5e3'],
  ['SVC_TRUSTED_PROXIES', '10.0.0.1, proxy'],
  ['SVC_TRUSTED_PROXIES', '10.0.0.1:8080'],
  ['SVC_TRUSTED_PROXIES', '0.0.0.0/0'],
  ['SVC_TRUSTED_PROXIES', '::/0'],
  ['SVC_OUTBOUND_ALLOW', '10.0.0.0/33'],
  ['SVC_OUTBOUND_ALLOW', 'localhost'],
  ['SVC_MAIL_FROM', 'svc'],
  ['SVC_MAIL_FROM', 'a@example.org\nBcc: b@example.org'],
  ['SVC_MAIL_FROM', 'A <a@example.org>, <b@example.org>'],
  ['SVC_LOG_LEVEL', 'loud'],
  ['SVC_PASSWORD_HASH', 'bcrypt'],
  ['SVC_OIDC_ISSUER', 'login.example.org'],
  ['SVC_OIDC_ISSUER', 'https://login.example.org/?a=b'],
  ['SVC_OIDC_CLIENT_ID', 'a b'],
  ['SVC_OIDC_ALLOW', '@example.org'],
  ['SVC_OIDC_ALLOW', 'example.org,'],
  ['SVC_OIDC_ALLOW', '*.example.org'],
  ['SVC_OIDC_ONLY', 'yes'],
  ['SVC_SECURITY_CONTACT', 'the operator'],
  ['SVC_SECURITY_CONTACT', 'http://example.org/report'],
  ['SVC_SECURITY_CONTACT', 'a@example.org\nContact: mailto:b@example.org'],
])('%s=%s is an error that names both and says what is wanted', (name, value) => {
  expect(() => config({ [name]: value })).toThrow(ConfigError)
  expect(() => config({ [name]: value })).toThrow(
    `${name} must be ${variableWords[name as keyof typeof variableWords]}: got ${JSON.stringify(value)}`,
  )
})

test.each(['hc.example.org/sesame', 'ftp://hc.example.org/sesame'])(
  'a wrong address of a heartbeat is an error that does not repeat it',
  (value) => {
    const wrong = () => config({ SVC_HEARTBEAT_URL: value })
    expect(wrong).toThrow(/SVC_HEARTBEAT_URL must be an http/)
    expect(wrong).not.toThrow(/sesame/)
  },
)

const oidc = {
  SVC_OIDC_ISSUER: 'https://login.example.org',
  SVC_OIDC_CLIENT_ID: 'svc',
  SVC_OIDC_CLIENT_SECRET: 'sesame',
  SVC_OIDC_ALLOW: 'Example.org, münchen.de',
  SVC_BASE_URL: 'https://svc.example.org',
}
const read = {
  ...{ issuer: 'https://login.example.org/', clientId: 'svc', clientSecret: 'sesame' },
  ...{ allow: ['example.org', 'xn--mnchen-3ya.de'], name: 'login.example.org', only: false },
}

test.each([
  ['the four are enough', {}, {}],
  [
    'a name and passwords that are off',
    { SVC_OIDC_NAME: 'Example', SVC_OIDC_ONLY: 'on' },
    { name: 'Example', only: true },
  ],
  ['all domains', { SVC_OIDC_ALLOW: '*' }, { allow: '*' }],
  [
    'plain http on this machine',
    { SVC_OIDC_ISSUER: 'http://127.0.0.1:9/realms/a', SVC_BASE_URL: 'http://localhost:8787' },
    { issuer: 'http://127.0.0.1:9/realms/a', name: '127.0.0.1' },
  ],
])('settings of a sign-in provider are read: %s', (_, given, meant) => {
  expect(config({ ...oidc, ...given }).oidc).toEqual({ ...read, ...meant })
})

test.each(Object.keys(oidc).filter((name) => name !== 'SVC_BASE_URL'))(
  'the settings of a sign-in provider without %s are an error that names it',
  (name) => expect(() => config({ ...oidc, [name]: '' })).toThrow(`${name} is missing`),
)

test.each([
  ['SVC_OIDC_ISSUER', { ...oidc, SVC_OIDC_ISSUER: 'http://login.example.org' }],
  ['SVC_OIDC_ISSUER', { SVC_OIDC_ONLY: 'on' }],
  ['SVC_OIDC_CLIENT_SECRET', { SVC_OIDC_NAME: 'Example' }],
  ['SVC_BASE_URL', { ...oidc, SVC_BASE_URL: 'http://svc.example.org' }],
])('settings of a sign-in provider that would protect nothing are an error that names %s', (name, given) => {
  expect(() => config(given)).toThrow(ConfigError)
  expect(() => config(given)).toThrow(name)
})

test('a wrong secret of the sign-in provider is not repeated', () => {
  const wrong = () => config({ ...oidc, SVC_OIDC_CLIENT_SECRET: 'sesame street' })
  expect(wrong).toThrow(/SVC_OIDC_CLIENT_SECRET must be the secret/)
  expect(wrong).not.toThrow(/sesame/)
})

test('a wrong address of a mail server is an error that does not repeat its password', () => {
  const wrong = () => config({ SVC_SMTP_URL: 'http://svc:sesame@mail.example.org' })
  expect(wrong).toThrow(/SVC_SMTP_URL must be the address of a mail server/)
  expect(wrong).not.toThrow(/sesame/)
})

test('mails come from the host of the service unless a sender is set', () => {
  expect(config({ SVC_BASE_URL: 'https://svc.example.org:8443' }).mailFrom).toBe('svc@svc.example.org')
  expect(config({ SVC_BASE_URL: 'http://10.0.0.1:8787' }).mailFrom).toBe('svc@localhost')
})

test.each([
  'postgres://a,b/svc',
  'postgresql://svc:sesame@a:5432,b:5433/svc?target_session_attrs=read-write',
  'postgres://svc@a,b,c',
  'postgres://svc@a%2Cb/svc',
  'postgres://svc@/svc?host=a,b',
  'postgres://svc@/svc?host=%2Frun%2C%2Ftmp',
  'postgres://svc@/svc?host=a&host=b',
  'postgres://svc@a/svc?hostaddr=10.0.0.1,10.0.0.2',
])('an address of several databases is refused with what to use instead: %s', (address) => {
  const several = () => config({ SVC_DATABASE_URL: address })
  expect(several).toThrow(
    /^SVC_DATABASE_URL names several hosts, and the service uses one\. .*proxy.*floating.*DNS name/,
  )
  expect(several).not.toThrow(/sesame/)
})

test.each(['postgres://svc:a,b@db/svc', 'postgres://svc@db/a,b', 'postgres://svc@db/svc?application_name=a,b'])(
  'a comma that separates no hosts is accepted: %s',
  (address) => {
    expect(config({ SVC_DATABASE_URL: address }).databaseUrl).toBe(address)
  },
)

test.each([
  'postgres://svc:se@sa/me@db/svc',
  'postgres://svc:sesa/me@db/svc',
  'postgres://svc:sesame?1@db/svc',
  'postgres://svc:1#sesame@db/svc',
  'postgres://svc:sesa%me@db/svc',
])('a separator in the password of %s is named, and nothing of the password', (address) => {
  const wrong = () => config({ SVC_DATABASE_URL: address })
  expect(wrong).toThrow(/^SVC_DATABASE_URL has a character .* Write @ as %40, \/ as %2F/)
  expect(wrong).not.toThrow(/sesa|me@/)
})

test.each(['postgres://svc:p%40ss@db/svc', 'postgres://svc@db/svc?options=a@b', 'postgres://svc:p@ss@db/svc'])(
  '%s is accepted',
  (address) => expect(config({ SVC_DATABASE_URL: address }).databaseUrl).toBe(address),
)

test('a wrong database address is an error that does not repeat its password', () => {
  const wrong = () => config({ SVC_DATABASE_URL: 'mysql://svc:sesame@db/svc' })
  expect(wrong).toThrow(/SVC_DATABASE_URL must be a PostgreSQL address/)
  expect(wrong).not.toThrow(/sesame/)
})

test('pages and metrics cannot share a port', () => {
  expect(() => config({ SVC_PORT: '9787' })).toThrow('must differ')
})

test('flags win over the environment, the environment over the .env file', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-config-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(
    join(cwd, '.env'),
    'SVC_PORT=1001\nSVC_HOST="0.0.0.0" # every address\nSVC_LOG_LEVEL=warn\nHOME=/nowhere\n',
  )
  const env = { SVC_PORT: '1002', SVC_LOG_LEVEL: '' }
  expect(readConfig({ cwd, env: {} })).toMatchObject({ port: 1001, host: '0.0.0.0', logLevel: 'warn' })
  expect(readConfig({ cwd, env })).toMatchObject({ port: 1002, host: '0.0.0.0', logLevel: 'warn' })
  expect(readConfig({ cwd, env, flags: { SVC_PORT: '1003' } })).toMatchObject({ port: 1003 })
})

function envFile(bytes: string | Buffer): string {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-config-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, '.env'), bytes)
  return cwd
}

test.each([
  ['plain lines', 'SVC_PORT=1001\n', []],
  ['a byte order mark', '\ufeffSVC_PORT=1001\n', []],
  ['CRLF', 'SVC_HOST=127.0.0.1\r\nSVC_PORT=1001\r\n', []],
  ['export, spaces and quotes', 'export SVC_PORT = "1001" # pages\n', []],
  ['comments behind values', 'SVC_PORT=1001 # pages #1\nSVC_LOG_LEVEL= #debug\n', []],
  ['a # in quotes', 'SVC_PORT=1001\nSVC_DATA_DIR="./good#1"\n', []],
  ['a # of another program', 'SVC_PORT=1001\nCOLOR=#fff\n', []],
  ['lines of other programs', 'TOKEN\n"x"=1\nSVC_PORT=1001\n', []],
  ['a name twice', 'SVC_PORT=1\nSVC_PORT=1001\n', ['SVC_PORT occurs in lines 1 and 2 of FILE; the last one counts']],
  [
    'a name that nobody knows',
    'SVC_PORT=1001\nSVC_BASEURL=x\n',
    ['SVC_BASEURL in FILE is not a setting of the service; known are SVC_BASE_URL, '],
  ],
])('.env: %s is read', (_what, bytes, remarks) => {
  const cwd = envFile(bytes)
  const read = readConfig({ cwd, env: {} })
  expect(read.port).toBe(1001)
  expect(read.remarks.length).toBe(remarks.length)
  for (const [i, remark] of remarks.entries())
    expect(read.remarks[i]).toContain(remark.replace('FILE', join(cwd, '.env')))
})

test.each([
  ['UTF-16', Buffer.from('\ufeffSVC_PORT=1001\n', 'utf16le'), 'is UTF-16; save it as UTF-8'],
  ['UTF-16 without a mark', Buffer.from('SVC_PORT=1001\n', 'utf16le'), 'is UTF-16; save it as UTF-8'],
  ['Latin-1', Buffer.from('SVC_MAIL_FROM=Gr\u00fc\u00dfe <a@b.example>\n', 'latin1'), 'byte 0xFC at line 1, column 17'],
  ['a NUL', 'SVC_PORT=10\x0001\n', 'has a NUL character at line 1, column 12'],
  ['a line without =', '# port\nSVC_PORT 1001\n', 'line 2 has no "="'],
  ['a colon', 'SVC_PORT: 1001\n', 'line 1 has a colon after the name'],
  ['an invisible character before a name', '\u200bSVC_PORT=1001\n', 'line 1 has an invisible character, U+200B'],
  [
    'a quote that is not closed',
    'SVC_DATA_DIR="/srv\nSVC_PORT=1001\n',
    'line 1 opens a quote (") that is never closed',
  ],
  ['a # that would cut a value', 'SVC_PORT=1001\nSVC_DATA_DIR=./good#1\n', 'line 2 has a "#" that would cut its value'],
  ['a # at the beginning of a value', 'SVC_DATA_DIR=#1\n', 'line 1 has a "#" that would cut its value'],
  ['a # in an address', 'export SVC_SMTP_URL = smtp://a:p#w@b # mail\n', 'line 1 has a "#"'],
  ['line ends of CR alone', 'SVC_DATA_DIR=data\rSVC_PORT=1001\r', 'line 1 has a carriage return inside'],
  ['an invisible character in a value', 'SVC_DATA_DIR=da\u200bta\n', 'line 1 has an invisible character, U+200B'],
  ['text after a quote', 'SVC_DATA_DIR="/srv/my" data\n', 'line 1 has text after the closing quote'],
  ['more than 1 MB', `SVC_PORT=1001\n#${'x'.repeat(1024 * 1024)}`, 'is larger than 1 MB'],
])('.env: %s is refused with the reason', (_what, bytes, says) => {
  const cwd = envFile(bytes)
  expect(() => readConfig({ cwd, env: {} })).toThrow(ConfigError)
  expect(() => readConfig({ cwd, env: {} })).toThrow(says)
})

test.each([
  ['a folder', (file: string) => mkdirSync(file), 'is not a regular file'],
  ['a link that leads nowhere', (file: string) => symlinkSync('gone', file), 'is a link that leads nowhere'],
  ['a link to itself', (file: string) => symlinkSync(file, file), 'cannot be followed'],
])('.env: %s in its place does not count as missing', (_what, make, says) => {
  const cwd = envFile('')
  rmSync(join(cwd, '.env'))
  make(join(cwd, '.env'))
  expect(() => readConfig({ cwd, env: {} })).toThrow(says)
})

test.each([
  [{ SVC_HOST: '0.0.0.0' }, 1],
  [{ SVC_HOST: '::' }, 1],
  [{ SVC_HOST: '10.0.0.5', SVC_BASE_URL: 'http://127.0.0.1:8787' }, 1],
  [{ SVC_HOST: '::1' }, 0],
  [{}, 0],
  [{ SVC_HOST: '0.0.0.0', SVC_BASE_URL: 'http://nas:8787' }, 0],
  [{ SVC_BASE_URL: 'https://svc.example.org' }, 0],
])('a service that listens for others at an address that they cannot use says so: %j', (env, remarks) => {
  const says = remarks === 0 ? [] : [expect.stringMatching(/answers only at .*set SVC_BASE_URL/)]
  expect(readConfig({ cwd: envFile(''), env }).remarks).toEqual(says)
})

test('a name in the environment that nobody knows is a remark', () => {
  const { remarks } = readConfig({
    cwd: envFile(''),
    env: { SVC_PROT: '1', SVC_TEST_LONG: '1', SVC_URL: 'x', HOME: '/' },
  })
  expect(remarks.map((remark) => remark.split(' is ')[0])).toEqual(['SVC_PROT in the environment'])
})
