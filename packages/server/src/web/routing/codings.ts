/** The codings in which the service can send the bytes of an answer. */
export type ContentCoding = 'br' | 'gzip'

/** True if the header `Accept-Encoding` names the coding, and not with `q=0`. */
export function acceptsCoding(header: string | undefined, coding: ContentCoding): boolean {
  const wanted = coding === 'br' ? /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/ : /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/
  return wanted.test(header ?? '')
}
