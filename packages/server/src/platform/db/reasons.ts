/** Says in a sentence why PostgreSQL cannot be used at a start, and how to fix that. */

/** The role and the database that the service could not use, quoted as in SQL statements. */
export interface DatabaseName {
  role: string
  database: string
}

interface Failure {
  code: string
  message: string
  /** The call that failed, for errors of the system. */
  syscall: string
}

type ReasonRow = readonly [
  is: { code?: RegExp; message?: RegExp; syscall?: string },
  says: (place: DatabaseName, failure: Failure) => string,
]

/**
 * The first matching row decides. PostgreSQL's messages may be in any language, so rows with its code and a message are
 * followed by one with the code alone. Rows with only a message are about errors of the library.
 */
const rows: readonly ReasonRow[] = [
  [
    { code: /^42501$/, message: /for schema\b/i },
    ({ role }, { message }) => {
      const schema = /for schema ("(?:[^"]|"")+"|[^\s"]+)/i.exec(message)?.[1] ?? 'public'
      return `the role ${role} must not create tables in the schema ${schema}. Since PostgreSQL 15 only the owner of a database may. As the owner or a superuser, in this database: GRANT CREATE, USAGE ON SCHEMA ${schema} TO ${role};`
    },
  ],
  [
    { code: /^42501$/, message: /for database\b/i },
    ({ role, database }) =>
      `the role ${role} must not use the database. As its owner or a superuser: GRANT CONNECT, CREATE ON DATABASE ${database} TO ${role};`,
  ],
  [
    { code: /^42501$/ },
    ({ role, database }, { message }) =>
      `the role ${role} has too few rights (${message}). Tables that another role made must belong to this one: sign in as the other role or a superuser, in this database, and run REASSIGN OWNED or ALTER TABLE … OWNER TO ${role}; and ALTER DATABASE ${database} OWNER TO ${role};`,
  ],
  [
    { code: /^3F000$/ },
    ({ role }) =>
      `the role ${role} has no schema to create tables in: search_path names none that exists and that it may use. As the owner or a superuser, in this database: CREATE SCHEMA IF NOT EXISTS public; GRANT CREATE, USAGE ON SCHEMA public TO ${role};`,
  ],
  [
    { code: /^28P01$/ },
    () =>
      'it refused the password or the role. Correct them in the address, or set the password as a superuser: ALTER ROLE … PASSWORD …',
  ],
  [
    { message: /client password must be a string|password supplied but/i },
    () => 'it asks for a password, and the address has none. Write it as postgres://USER:PASSWORD@HOST/DATABASE',
  ],
  [
    { code: /^28000$/, message: /role .*does not exist/i },
    (_, { message }) => `it does not know the role (${message}). As a superuser: CREATE ROLE … LOGIN PASSWORD …`,
  ],
  [
    { code: /^28000$/, message: /not permitted to log in/i },
    (_, { message }) => `the role must not sign in (${message}). As a superuser: ALTER ROLE … LOGIN;`,
  ],
  [
    { code: /^28000$/, message: /no encryption|SSL off/i },
    (_, { message }) =>
      `it does not accept this connection without TLS (${message}). Add sslmode=verify-full to the address, or a line to pg_hba.conf.`,
  ],
  [
    { code: /^28...$/ },
    (_, { message }) =>
      `it does not accept this role from this machine (${message}). Check the role, or add a line for it to pg_hba.conf and reload PostgreSQL.`,
  ],
  [
    { code: /^3D000$/ },
    (_, { message }) =>
      `it does not have the database (${message}). As a superuser: CREATE DATABASE … OWNER … ENCODING 'UTF8' TEMPLATE template0;`,
  ],
  [
    { code: /^53300$/ },
    () =>
      'it has too many connections. End other programs or nodes that use it, or raise max_connections or the limit of the role or database; each node opens up to ten.',
  ],
  [{ code: /^53100$/ }, () => 'no space is left on its disk. Make room there.'],
  [{ code: /^53...$/ }, (_, { message }) => `it lacks memory or another resource (${message}).`],
  [
    { code: /^25006$/ },
    () =>
      'it is read-only: a standby, or default_transaction_read_only is on. Name the primary in the address, or switch that setting off for this role and database.',
  ],
  [
    { code: /^57P0[34]$|^57P05$/ },
    (_, { message }) => `it does not accept connections now (${message}). Start again when it is ready.`,
  ],
  [{ code: /^57...$/ }, (_, { message }) => `it ended the connection (${message}). Start again when it is ready.`],
  [
    { code: /^08P01$/ },
    (_, { message }) =>
      `it, or a pooler in front of it, refused the connection (${message}). A pooler must keep a connection for its session, as pgbouncer does with pool_mode = session.`,
  ],
  [
    { code: /^ECONNREFUSED$/ },
    (_, { message }) =>
      `nothing accepts connections there (${message}). Start PostgreSQL, or correct the host and the port of the address.`,
  ],
  [
    { code: /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME)$/ },
    (_, { message }) => `its host name is not known (${message}). Correct the host of the address, or check the DNS.`,
  ],
  [
    { code: /^(ENOENT|EACCES|EPERM)$/, syscall: 'connect' },
    (_, { message }) =>
      `its socket file cannot be used (${message}). Start PostgreSQL, or correct the folder in the address.`,
  ],
  [
    { code: /^(ENOENT|EACCES|EPERM|EISDIR|ENOTDIR)$/, syscall: 'open' },
    (_, { message }) =>
      `a file that its address names cannot be read (${message}). Correct sslrootcert, sslcert or sslkey.`,
  ],
  [
    { code: /^ETIMEDOUT$/ },
    (_, { message }) => `it does not answer (${message}). Check the host, the port and the firewalls between.`,
  ],
  [
    { message: /timeout expired|timeout exceeded when trying to connect|due to connection timeout/i },
    () => 'it did not answer within 5 s. Check the host, the port and the firewalls between.',
  ],
  [
    { code: /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/ },
    (_, { message }) => `no network leads to it (${message}). Check the host and the network of this machine.`,
  ],
  [
    { message: /server does not support SSL connections/i },
    () =>
      'it has no TLS, and the address asks for it. Set ssl = on there, or write sslmode=disable where nobody else can read the network.',
  ],
  [
    { code: /^ERR_TLS_CERT_ALTNAME_INVALID$/ },
    (_, { message }) =>
      `its certificate is for another name (${message}). Use a name in the certificate as the host of the address. ${modes}`,
  ],
  [
    { code: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/ },
    (_, { message }) =>
      `its certificate is not valid now (${message}). Renew it, or correct the clock of this machine. ${modes}`,
  ],
  [
    { code: /SELF_SIGNED|UNABLE_TO_|^CERT_|^INVALID_CA$|^HOSTNAME_MISMATCH$|^PATH_LENGTH_EXCEEDED$/ },
    (_, { message }) =>
      `its certificate is of an authority that this machine does not know (${message}). Add sslrootcert=/path/of/the/ca.pem to the address. ${modes}`,
  ],
  [
    { code: /^(EPROTO|ERR_SSL_.*|ERR_OSSL_.*)$/ },
    (_, { message }) =>
      `the encrypted connection failed (${message.trim()}). Check the port, the files of sslcert and sslkey, and the TLS versions. ${modes}`,
  ],
  [
    { code: /^(ECONNRESET|EPIPE)$/ },
    (_, { message }) => `the connection was ended (${message}). Check its log, and that the port is one of PostgreSQL.`,
  ],
  [
    { message: /connection terminated|connection ended|received invalid response|unexpected (message|response)/i },
    (_, { message }) => `the connection was ended (${message}). Check its log, and that the port is one of PostgreSQL.`,
  ],
]

const modes =
  'sslmode=require checks certificates as verify-full does; sslmode=no-verify checks nothing (docs/operate.md, "PostgreSQL").'

/**
 * The reason in words, to be put after a colon, if `error` or one of its causes comes from PostgreSQL or from the
 * connection to it; otherwise undefined. An error without a row is described by PostgreSQL's message and code.
 */
export function whyPostgresFails(
  error: unknown,
  place: DatabaseName = { role: '…', database: '…' },
): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall, message } = error as Error & { code?: unknown; syscall?: unknown }
  const failure = { code: text(code), syscall: text(syscall), message: message || text(code) }
  const row = rows.find(([is]) => fits(is, failure))
  if (row) return row[1](place, inner(error, failure))
  if (/^[0-9A-Z]{5}$/.test(failure.code) && 'severity' in error) return `it says "${message}" (${failure.code}).`
  return whyPostgresFails(error.cause, place)
}

const fits = (is: ReasonRow[0], failure: Failure): boolean =>
  (is.code === undefined || is.code.test(failure.code)) &&
  (is.message === undefined || is.message.test(failure.message)) &&
  (is.syscall === undefined || is.syscall === failure.syscall)

/**
 * Adds the messages of the inner errors: if a host has several addresses, Node throws one error that has no message and
 * contains an error for each address.
 */
function inner(error: Error, failure: Failure): Failure {
  if (!(error instanceof AggregateError)) return failure
  return { ...failure, message: error.errors.map((each: Error) => each.message).join(', ') || failure.message }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
