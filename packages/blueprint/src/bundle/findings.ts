/** What is wrong with a bundle or a blueprint's folder, each said of one file. */
import { cut, safeText, type Verdict } from '@svc/protocol'

export interface BundleFinding {
  /** The entry or file, with `/`, as it can be shown (cut, without controls); empty for the bundle as a whole. */
  readonly file: string
  /** From 1; only where the manifest says something wrong. */
  readonly line?: number
  readonly column?: number
  /** The rest of a sentence that begins with the file. */
  readonly message: string
}

/**
 * `bundle_refused`: a verdict, the same on every machine. `folder_taken`: there is something where the bundle should go.
 * `disk_failed`: the disk is full or broken, and nothing was decided about the bundle.
 */
export type BundleCode = 'bundle_refused' | 'folder_taken' | 'disk_failed'
export type BundleVerdict<T> =
  | Extract<Verdict<T, BundleCode>, { ok: true }>
  | (Extract<Verdict<T, BundleCode>, { ok: false }> & { readonly findings: readonly BundleFinding[] })

/** As compilers write it: `svc.agent.yaml:3:7: …`; the bundle as a whole is called so. */
export function sentence({ file, line, column, message }: BundleFinding): string {
  if (file === '') return `The bundle ${message}`
  return `${shownPath(file)}${line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`}: ${message}`
}

export const refused = <T>(findings: readonly BundleFinding[]): BundleVerdict<T> => {
  const [first] = findings
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : ''
  return {
    ok: false,
    code: 'bundle_refused',
    message: first ? `${sentence(first)}${more}` : 'The bundle is refused',
    findings,
  }
}

/** A path that anybody may have chosen, in one line of a sentence. */
export const shownPath = (path: string): string => cut(safeText(path).replace(/\s/g, ' '), 300)

/** More than these help nobody; the last line says how many there are. Names are fit to be shown. */
const maxFindings = 100
export function someFindings(findings: readonly BundleFinding[]): BundleFinding[] {
  const shown = findings.slice(0, maxFindings).map((f) => ({ ...f, file: shownPath(f.file) }))
  if (findings.length > maxFindings)
    shown.push({ file: '', message: `has ${findings.length - maxFindings} more findings` })
  return shown
}
