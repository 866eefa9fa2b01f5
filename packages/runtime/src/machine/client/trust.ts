/**
 * The authorities that a TLS connection trusts: those of Node, and those in the files that variables such as
 * SSL_CERT_FILE name. The variables come from this process, or were remembered with the connection (D78). Node itself
 * reads only NODE_EXTRA_CA_CERTS, and only when it starts.
 */
import { readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { certificateWords } from '@svc/protocol'
import { timeText, wholeSeconds } from '../base/time.ts'
import { authorityNames, ignoredProxy, networkVariable, rememberedVariables } from '../files/network.ts'
import { readFile } from '../files/read.ts'

const maxFileBytes = 8 * 1024 * 1024
const maxFiles = 1000
const pemPattern = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED )?CERTIFICATE-----/g

interface Trust {
  readonly context: SecureContext
  /** Sentences about variables whose certificates cannot be used. */
  readonly faults: readonly string[]
}

let last: { readonly key: string; readonly trust: Trust } | undefined

/** The TLS context for connections; undefined, which means Node's own context, if no variable names authorities. */
export const secureContext = (): SecureContext | undefined => trustNow(networkVariable)?.context

/** The TLS context of a runtime that a unit starts: only the remembered variables count. */
export const secureContextOfUnit = (): SecureContext =>
  (trustNow((name) => rememberedVariables()[name]) ?? { context: createSecureContext({ ca: [...rootCertificates] }) })
    .context

function trustNow(value: (name: string) => string | undefined): Trust | undefined {
  const named = authorityNames.flatMap((name) => {
    const path = value(name)
    return path === undefined ? [] : [{ name, path }]
  })
  if (named.length === 0) return undefined
  const files = named.flatMap(({ name, path }) =>
    (name === 'SSL_CERT_DIR' ? path.split(delimiter).flatMap(filesIn) : [path]).map((file) => ({ name, file })),
  )
  const key = JSON.stringify(files.map(({ file }) => file))
  if (last?.key === key) return last.trust
  const read = files.slice(0, maxFiles).map(({ name, file }) => ({ name, file, ...certificatesIn(file) }))
  const faults = read.flatMap(({ name, file, why }) =>
    why === undefined || name === 'SSL_CERT_DIR' ? [] : [`${name} names ${file}, which ${why}`],
  )
  const ca = [...new Set([...rootCertificates, ...read.flatMap(({ found }) => found)])]
  const trust = { context: createSecureContext({ ca }), faults }
  // After a fault nothing is cached: a file that cannot be read now may be readable at the next connection.
  last = faults.length === 0 ? { key, trust } : undefined
  return trust
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

function certificatesIn(file: string): { readonly found: string[]; readonly why?: string } {
  const read = readFile(file, maxFileBytes)
  if (read.is === 'missing') return { found: [], why: 'is not there' }
  if (read.is === 'unreadable') return { found: [], why: read.why }
  const found = read.bytes.toString('latin1').match(pemPattern) ?? []
  return found.length > 0 ? { found } : { found, why: 'holds no certificate in PEM form' }
}

/** Says what to do about a certificate that was not accepted; undefined for any other error. */
export const certificateAdvice = (error: unknown, now = Date.now()): string | undefined =>
  certificateWords(error, {
    clock: () => timeText(wholeSeconds(now)),
    remedy: () =>
      trustNow(networkVariable)?.faults[0] ??
      'name the file of a private authority in NODE_EXTRA_CA_CERTS and connect again',
  })

/** Says that svc does not use the proxy that the environment names for this address; empty if there is none. */
export function proxyNote(url: Pick<URL, 'protocol' | 'hostname'>): string {
  const proxy = ignoredProxy(url)
  return proxy === undefined ? '' : ` (svc uses no proxy: ${proxy} is set, and ignored)`
}
