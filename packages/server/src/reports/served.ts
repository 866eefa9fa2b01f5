/** The served release (D37) as a batch of reports reads it, once: in the transaction that judges wishes by it (I11). */
import type { Served } from '../releases/store.ts'

export const servedRelease = `select serial, version, sha256, case when signature is null then 0 else 1 end as signed
    from release order by serial desc limit 1`

export type ServedRow = Omit<Served, 'signed'> & { signed: number }

export const servedRow = (row: ServedRow | undefined): Served | undefined =>
  row && { serial: row.serial, version: row.version, sha256: row.sha256, signed: row.signed === 1 }
