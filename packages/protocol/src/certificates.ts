/** Explains errors of TLS connections about a certificate, and says what to do. */

/** The codes of Node for a certificate that no known authority has signed. */
const unknownAuthority = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
]
/** The messages of the same errors, for libraries that replace the code. */
const unknownWords =
  /^(unable to verify the first certificate|unable to get (local )?issuer certificate|self[- ]signed certificate|certificate not trusted)/i

interface CertificateHelp {
  /** Returns the time of the clock of this machine in words. */
  clock: () => string
  /** Returns what to do if this machine does not know the authority that signed the certificate. */
  remedy: () => string
}

/** Says what to do about a certificate that was not accepted; undefined for any other error. */
export function certificateWords(error: unknown, { clock, remedy }: CertificateHelp): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  const hasExpired = code === 'CERT_HAS_EXPIRED' || error.message.startsWith('certificate has expired')
  if (hasExpired || code === 'CERT_NOT_YET_VALID' || error.message.startsWith('certificate is not yet valid'))
    return `its certificate ${hasExpired ? 'has expired' : 'is not valid yet'}, and the clock of this machine says ${clock()}; set the clock if that is wrong`
  if (!unknownAuthority.includes(code) && !unknownWords.test(error.message)) return undefined
  return `${error.message.split(';')[0] || code}: no authority that this machine knows has signed its certificate; ${remedy()}`
}
