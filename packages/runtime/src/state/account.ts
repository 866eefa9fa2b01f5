/** The AI account that the reports name (2.1). A person enters it by hand; svc does not look anything up. */
import { type AgentAccount, clean, cut, limits } from '@svc/protocol'
import { removeDurably, writeDurably } from '../machine/files/durable.ts'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { readJsonObject } from '../machine/files/read.ts'

const keys = ['org', 'plan', 'email'] as const

/** The valid values of the stored account. */
export function readAccount(folder: Folder): AgentAccount | undefined {
  const written = readJsonObject(folder.account, 65_536) ?? {}
  const kept: AgentAccount = {}
  for (const key of keys) {
    const value = written[key]
    if (typeof value === 'string' && value !== '') kept[key] = cut(clean(value), limits.name)
  }
  return Object.keys(kept).length > 0 ? kept : undefined
}

/** Sets values of the stored account, and returns the whole account. */
export function setAccount(folder: Folder, account: AgentAccount): AgentAccount {
  createFolders(folder)
  const merged = { ...readAccount(folder), ...account }
  writeDurably(folder.account, `${JSON.stringify(merged, null, 2)}\n`)
  return merged
}

export const clearAccount = (folder: Folder): boolean => removeDurably(folder.account)
