/**
 * Reads from an embedded database everything that gives access to somebody or something. A restore reads it from the
 * backup and from the data that it puts aside, which may be of an earlier or a later version.
 */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { messageOf } from '../../platform/errors.ts'

/** A row that gives access or restricts it, such as a token, a membership, or a required second factor. */
export interface AccessEntry {
  /** The key of the row, which is the same in the backup and in the later data. */
  key: string
  /** The name by which people know the person or object, such as an address. */
  name: string
  /**
   * The part of the row that may have changed since the backup, such as a role or the hash of a token; '' if there is
   * none.
   */
  state: string
  /**
   * The keys of the workspace, the person or both to which the row belongs. The row exists only together with all of
   * them.
   */
  owners: readonly string[]
}

/**
 * The statement that reads the entries of each kind. It returns the key, the name, the state, and the keys of the
 * owners separated by a space.
 */
const statements = {
  people: `select p.id, email, case when d.person_id is null then '' else 'disabled' end, null
    from "user" p left join person_disabled d on d.person_id = p.id`,
  addresses: `select id, email, email, id from "user"`,
  workspaces: `select id, slug, '', null from workspace
    where id not in (select workspace_id from workspace_deleted)`,
  members: `select "workspaceId" || ' ' || "userId", email || ' in ' || slug, role, w.id || ' ' || p.id
    from member m join "user" p on p.id = "userId" join workspace w on w.id = "workspaceId"`,
  agents: `select a.id, slug || '/' || a.name, token_hash, w.id
    from agent a join workspace w on w.id = workspace_id
    where w.id not in (select workspace_id from workspace_deleted)`,
  botTokens: `select t.id, slug || '/' || b.name, case when revoked_at is null then '' else 'revoked' end, w.id
    from bot_token t join bot b on b.id = bot_id join workspace w on w.id = b.workspace_id`,
  products: `select id, id, coalesce(secret_hash, ''), null from product`,
  channels: `select c.id, coalesce(slug, '@service') || '/' || c.name, '', workspace_id
    from alert_channel c left join workspace w on w.id = workspace_id`,
  requirements: `select w.id, slug, from_at, w.id from factor_requirement join workspace w on w.id = workspace_id`,
  passwords: `select a.id, email, coalesce(password, ''), p.id from account a join "user" p on p.id = "userId"`,
  factors: `select person_id, email, secret, p.id from totp join "user" p on p.id = person_id
    where confirmed_at is not null`,
  connections: `select issuer || ' ' || subject || ' ' || person_id, email, '', p.id
    from oidc_connection c join "user" p on p.id = person_id`,
  passkeys: `select k.id, email, '', p.id from passkey k join "user" p on p.id = person_id`,
  recoveryCodes: `select hash, email, '', p.id from recovery_code join "user" p on p.id = person_id`,
} as const

export type AccessKind = keyof typeof statements

/** The access that a database gives. */
export interface Access {
  entries: Readonly<Record<AccessKind, readonly AccessEntry[]>>
  /** The restores that this data records: the id of each restore, and the time of its backup if that is known. */
  restores: readonly { id: string; from: number | null }[]
  /** The latest time of a change that this data records, in Unix milliseconds. */
  lastAt: number
}

/** The tables that earlier versions do not have, each as SQL for an empty table with the same columns. */
const laterTables: Readonly<Record<string, string>> = {
  person_disabled: 'null as person_id',
  workspace_deleted: 'null as workspace_id',
  factor_requirement: 'null as workspace_id, 0 as from_at',
  totp: 'null as person_id, null as secret, null as confirmed_at',
  passkey: 'null as id, null as person_id',
  oidc_connection: 'null as issuer, null as subject, null as person_id',
  recovery_code: 'null as hash, null as person_id',
  alert_channel: "null as id, '' as name, null as workspace_id",
  service_beat: '0 as at',
  sign_in: '0 as at',
}

/** Reads the access that the database in a file gives, or returns the reason why it cannot be read. */
export function accessInFile(file: string): Access | string {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { readOnly: true })
    return accessIn(db)
  } catch (error) {
    return messageOf(error)
  } finally {
    db?.close()
  }
}

function accessIn(db: DatabaseSync): Access {
  const tables = new Set(
    db
      .prepare("select name from sqlite_master where type = 'table'")
      .all()
      .map((row) => row.name),
  )
  const absent = Object.entries(laterTables).filter(([table]) => !tables.has(table))
  const empty = absent.map(([table, columns]) => `${table} as (select ${columns} where false)`)
  const all = (sql: string): SQLOutputValue[][] => {
    const statement = db.prepare(empty.length > 0 ? `with ${empty.join(', ')} ${sql}` : sql)
    statement.setReturnArrays(true)
    return statement.all() as unknown as SQLOutputValue[][]
  }
  const entries = Object.entries(statements).map(([kind, sql]) => [kind, all(sql).map(entryOf)])
  const restores = all("select id, details from audit where action = 'service.restored'")
  const [[lastAt]] = all(
    'select max(coalesce((select max(at) from audit), 0), coalesce((select max(at) from sign_in), 0), coalesce((select max(at) from service_beat), 0))',
  ) as [SQLOutputValue[]]
  return {
    entries: Object.fromEntries(entries) as Access['entries'],
    restores: restores.map(([id, details]) => ({ id: String(id), from: fromOf(String(details)) })),
    lastAt: Number(lastAt),
  }
}

const entryOf = ([key, name, state, owner = null]: SQLOutputValue[]): AccessEntry => ({
  key: String(key),
  name: String(name),
  state: String(state),
  owners: owner === null ? [] : String(owner).split(' '),
})

function fromOf(details: string): number | null {
  const { from } = JSON.parse(details) as { from?: unknown }
  return typeof from === 'number' ? from : null
}
