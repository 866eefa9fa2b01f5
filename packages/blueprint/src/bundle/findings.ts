/** Findings: each says one thing that is wrong with a file of a bundle or of a blueprint's folder. */
import { cut, safeText, type Verdict } from '@svc/protocol'

export interface BundleFinding {
  /** The entry or file as it can be shown: with `/`, cut, without controls. Empty for the bundle as a whole. */
  readonly file: string
  /** Counted from 1; only for findings about the manifest. */
  readonly line?: number
  readonly column?: number
  /** The rest of a sentence that begins with the file. */
  readonly message: string
}

/**
 * `bundle_refused` is a verdict on the bundle, the same on every machine. `folder_taken`: something already exists at
 * the target. `disk_failed`: the disk is full or broken, so nothing was decided about the bundle.
 */
export type BundleCode = 'bundle_refused' | 'folder_taken' | 'disk_failed'
export type BundleVerdict<T> =
  | Extract<Verdict<T, BundleCode>, { ok: true }>
  | (Extract<Verdict<T, BundleCode>, { ok: false }> & { readonly findings: readonly BundleFinding[] })

/**
 * The finding as a sentence, in the form of compilers: `svc.agent.yaml:3:7: …`. One about the whole bundle begins "The
 * bundle".
 */
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

/** A path that anybody may have chosen, made safe and cut for use in one line. */
export const shownPath = (path: string): string => cut(safeText(path).replace(/\s/g, ' '), 300)

/** Maximum number of findings that are listed. Another line tells how many more there are. */
const maxFindings = 100
export function someFindings(findings: readonly BundleFinding[]): BundleFinding[] {
  const shown = findings.slice(0, maxFindings).map((f) => ({ ...f, file: shownPath(f.file) }))
  if (findings.length > maxFindings)
    shown.push({ file: '', message: `has ${findings.length - maxFindings} more findings` })
  return shown
}
