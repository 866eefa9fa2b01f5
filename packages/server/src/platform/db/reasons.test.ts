import { expect, test } from 'vitest'
import { whyPostgresFails } from './reasons.ts'

const place = { role: 'svc', database: 'fleet' }
const error = (code: string | undefined, message: string, more: object = {}) =>
  Object.assign(new Error(message), code === undefined ? {} : { code }, more)
const refused = (code: string, message: string) => error(code, message, { severity: 'ERROR' })

test.each([
  [refused('42501', 'permission denied for schema public'), 'GRANT CREATE, USAGE ON SCHEMA public TO svc;'],
  [refused('42501', 'permission denied for schema "my svc"'), 'GRANT CREATE, USAGE ON SCHEMA "my svc" TO svc;'],
  [refused('42501', 'permission denied for database fleet'), 'GRANT CONNECT, CREATE ON DATABASE fleet TO svc;'],
  [refused('42501', 'permission denied for table user'), 'OWNER TO svc;'],
  [refused('42501', 'must be owner of table agent'), 'OWNER TO svc;'],
  [refused('3F000', 'no schema has been selected to create in'), 'search_path'],
  [refused('28P01', 'password authentication failed for user "svc"'), 'the password'],
  [error(undefined, 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'the address has none'],
  [refused('28000', 'role "svc" does not exist'), 'CREATE ROLE'],
  [refused('28000', 'role "svc" is not permitted to log in'), 'ALTER ROLE … LOGIN'],
  [refused('28000', 'no pg_hba.conf entry for host "10.0.0.1", user "svc", no encryption'), 'sslmode=verify-full'],
  [refused('28000', 'no pg_hba.conf entry for host "10.0.0.1", user "svc"'), 'a line for it to pg_hba.conf'],
  [refused('3D000', 'database "fleet" does not exist'), 'CREATE DATABASE'],
  [refused('53300', 'sorry, too many clients already'), 'max_connections'],
  [refused('53300', 'too many connections for role "svc"'), 'max_connections'],
  [refused('53100', 'could not extend file'), 'no space is left'],
  [refused('53200', 'out of memory'), 'out of memory'],
  [refused('25006', 'cannot execute CREATE TABLE in a read-only transaction'), 'read-only'],
  [refused('57P03', 'the database system is starting up'), 'starting up'],
  [refused('57P01', 'terminating connection due to administrator command'), 'administrator command'],
  [refused('08P01', 'unsupported startup parameter: options'), 'pooler'],
  [error('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'), 'Start PostgreSQL'],
  [
    Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:1'), new Error('b')], ''), {
      code: 'ECONNREFUSED',
    }),
    'connect ECONNREFUSED ::1:1, b',
  ],
  [error('ENOTFOUND', 'getaddrinfo ENOTFOUND db.example'), 'host name is not known'],
  [error('EAI_AGAIN', 'getaddrinfo EAI_AGAIN db.example'), 'host name is not known'],
  [error('ENOENT', 'connect ENOENT /run/.s.PGSQL.5432', { syscall: 'connect' }), 'socket file'],
  [error('ENOENT', "ENOENT: no such file, open '/ca.pem'", { syscall: 'open' }), 'sslrootcert'],
  [error('ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:5432'), 'firewalls'],
  [error(undefined, 'timeout exceeded when trying to connect'), 'firewalls'],
  [error(undefined, 'Connection terminated due to connection timeout'), 'firewalls'],
  [error('EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1:5432'), 'no network leads to it'],
  [error(undefined, 'The server does not support SSL connections'), 'it has no TLS'],
  [error('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'), 'sslrootcert='],
  [error('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), 'sslmode=no-verify'],
  [error('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'), 'sslrootcert='],
  [error('UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unable to get local issuer certificate'), 'sslrootcert='],
  [error('CERT_HAS_EXPIRED', 'certificate has expired'), 'Renew it'],
  [error('ERR_TLS_CERT_ALTNAME_INVALID', "IP: 10.0.0.1 is not in the cert's list"), 'another name'],
  [error('ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number'), 'the encrypted connection failed'],
  [error('ECONNRESET', 'read ECONNRESET'), 'Check its log'],
  [error(undefined, 'Connection terminated unexpectedly'), 'Check its log'],
  [refused('0A000', 'this feature is not supported'), 'it says "this feature is not supported" (0A000).'],
])('%s is told with what mends it', (failure, says) => {
  expect(whyPostgresFails(failure, place)).toContain(says)
  expect(whyPostgresFails(new Error('around', { cause: failure }), place)).toContain(says)
})

test('an error of the code itself has no such reason', () => {
  expect(whyPostgresFails(new TypeError('x is not a function'))).toBeUndefined()
  expect(whyPostgresFails('a text')).toBeUndefined()
})
