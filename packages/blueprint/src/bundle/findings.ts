/** Findings about a bundle or a blueprint's folder. Each finding says one thing that is wrong with one file. */
import { cut, safeText, type Verdict } from '@svc/protocol'

export interface BundleFinding {
  /**
   * The path of the file, written with `/`. Empty if the finding is about the bundle as a whole. The path may come from
   * a hostile bundle: `findingText` and `someFindings` make it safe to show.
   */
  readonly file: string
  /**
   * The line and column of the finding, counted from 1. Findings about the manifest have both. Findings about lines of
   * `.svcignore` have only the line.
   */
  readonly line?: number
  readonly column?: number
  /** The message, worded as the rest of a sentence that begins with the file. */
  readonly message: string
}

/**
 * `bundle_refused`: the bundle is at fault, and would be refused on every machine. `folder_taken`: something already
 * exists at the target. `disk_failed`: the disk is full or broken, so the bundle was not judged.
 */
type BundleCode = 'bundle_refused' | 'folder_taken' | 'disk_failed'
export type BundleVerdict<T> =
  | Extract<Verdict<T, BundleCode>, { ok: true }>
  | (Extract<Verdict<T, BundleCode>, { ok: false }> & { readonly findings: readonly BundleFinding[] })

/**
 * Writes the finding as a sentence, in the form that compilers use: `svc.agent.yaml:3:7: …`. For a finding about the
 * whole bundle, the sentence begins with "The bundle".
 */
export function findingText({ file, line, column, message }: BundleFinding): string {
  if (file === '') return `The bundle ${message}`
  return `${shownPath(file)}${line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`}: ${message}`
}

export const refusedBundle = <T>(findings: readonly BundleFinding[]): BundleVerdict<T> => {
  const [first] = findings
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : ''
  return {
    ok: false,
    code: 'bundle_refused',
    message: first ? `${findingText(first)}${more}` : 'The bundle is refused',
    findings,
  }
}

/** Makes a path safe to show in one line, and cuts it, since the path may come from a hostile bundle. */
export const shownPath = (path: string): string => cut(safeText(path).replace(/\s/g, ' '), 300)

/** The maximum number of findings that are listed. */
const maxFindings = 100
/** Returns the first `maxFindings` findings of a list, and one more that says how many are left out, if any are. */
export function someFindings(findings: readonly BundleFinding[]): BundleFinding[] {
  const shown = findings.slice(0, maxFindings).map((f) => ({ ...f, file: shownPath(f.file) }))
  if (findings.length > maxFindings)
    shown.push({ file: '', message: `has ${findings.length - maxFindings} more findings` })
  return shown
}
