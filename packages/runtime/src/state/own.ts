/** What a person did here to the runtime as a whole: who stopped it (for `svc why`). */

import { join } from 'node:path'
import { writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'
import { type Author, readAuthor } from './changes.ts'

const fileOf = (folder: Folder) => join(folder.journal, 'stopped.json')

export function noteStop(folder: Folder, author: Author): void {
  prepare(folder)
  writeDurably(fileOf(folder), `${JSON.stringify(author)}\n`)
}

/** Who stopped it last, and when. */
export const readStop = (folder: Folder): Author | undefined => readAuthor(readJsonObject(fileOf(folder), 4096))
