/** Reads what a `svc-exec` holds, without loading the text of a new one. */
import { shellQuoted } from '../../machine/hint.ts'

/** The words by which svc recognises a `svc-exec` that it has written. */
export const launcherMark = 'Written by svc; do not edit.'

/** True for a text that this or another version of svc has written. */
export const isLauncher = (text: string): boolean => text.startsWith('#!/bin/sh\n') && text.includes(launcherMark)

/** The line of a `svc-exec` that names the folder of the host agent. */
export const hostFolderLine = (host: string): string => `svc_exec_host=${shellQuoted(host)}`

/**
 * Reads the folder of the host agent in the text of a `svc-exec`. Undefined if the text does not name it, as in an
 * earlier version.
 */
export function hostFolderIn(text: string): string | undefined {
  const [, value] = /^svc_exec_host=(.+)$/m.exec(isLauncher(text) ? text : '') ?? []
  if (value === undefined) return undefined
  return value.startsWith("'") ? value.slice(1, -1).replaceAll("'\\''", "'") : value
}
