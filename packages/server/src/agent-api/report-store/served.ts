/** The served release (D37) as a batch of reports reads it: once, in the transaction that judges wishes by it (I11). */
import type { ServedRelease } from '../../updates/releases/store.ts'

export const servedReleaseSql = `select serial, version, sha256, case when signature is null then 0 else 1 end as signed
    from release order by serial desc limit 1`

/** A row that `servedReleaseSql` returns. */
export type ServedRow = readonly [serial: number, version: string, sha256: string, signed: number]

export const servedReleaseOf = (row: ServedRow | undefined): ServedRelease | undefined =>
  row && { serial: row[0], version: row[1], sha256: row[2], signed: row[3] === 1 }
