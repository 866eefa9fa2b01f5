import { afterEach, expect, test, vi } from 'vitest'
import { ignoredProxy, noteNetwork, variablesToRemember } from './network.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  noteNetwork(new Map())
})

test('the variables that a unit would not have are remembered, with whole paths; an empty one is forgotten', () => {
  const own = {
    NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    SSL_CERT_FILE: 'ca.pem',
    SSL_CERT_DIR: '/etc/one:two',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: '',
    HTTP_PROXY: 'two\nlines',
    PATH: '/bin',
    NODE_OPTIONS: '--require x',
    HOME: '/home/ada',
  }
  const at = (path: string) => `${process.cwd()}/${path}`
  expect(variablesToRemember('https://svc.example.com', own, '/home/ada')).toEqual({
    NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    SSL_CERT_FILE: at('ca.pem'),
    SSL_CERT_DIR: `/etc/one:${at('two')}`,
    https_proxy: 'http://proxy:3128',
    NO_PROXY: undefined,
    HTTP_PROXY: undefined,
  })
  expect(variablesToRemember('http://localhost:8787', own, '/home/ada'), 'nothing is between').toEqual({})
})

test.each([
  ['https://svc.example.com', { HTTPS_PROXY: 'p' }, 'HTTPS_PROXY'],
  ['https://svc.example.com', { all_proxy: 'p' }, 'all_proxy'],
  ['https://svc.example.com', { HTTP_PROXY: 'p' }, undefined],
  ['http://svc.example.com', { http_proxy: 'p' }, 'http_proxy'],
  ['https://svc.example.com', { HTTPS_PROXY: 'p', NO_PROXY: 'localhost, .example.com' }, undefined],
  ['https://svc.example.com', { HTTPS_PROXY: 'p', no_proxy: 'example.com:443' }, undefined],
  ['https://svc.example.com', { HTTPS_PROXY: 'p', NO_PROXY: 'ample.com' }, 'HTTPS_PROXY'],
  ['https://svc.example.com', { HTTPS_PROXY: '' }, undefined],
])('%s with %j: the ignored proxy is %s', (url, env, expected) => {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
    vi.stubEnv(name, '')
    vi.stubEnv(name.toLowerCase(), '')
  }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  expect(ignoredProxy(new URL(url))).toBe(expected)
})

test('a proxy that only the connection remembers is named, too', () => {
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']) vi.stubEnv(name, '')
  noteNetwork(new Map([['HTTPS_PROXY', 'p']]))
  expect(ignoredProxy(new URL('https://svc.example.com'))).toBe('HTTPS_PROXY')
})
