/** Reads the served release (D37), once for each batch of reports and inside its transaction (I11). */
import type { ServedRelease } from '../../updates/releases/store.ts'

export const servedReleaseSql = `select serial, version, sha256, case when signature is null then 0 else 1 end as signed
    from release order by serial desc limit 1`

/** A row that `servedReleaseSql` returns. */
export type ServedRow = readonly [serial: number, version: string, sha256: string, signed: number]

export const servedReleaseOf = (row: ServedRow | undefined): ServedRelease | undefined =>
  row && { serial: row[0], version: row[1], sha256: row[2], signed: row[3] === 1 }
