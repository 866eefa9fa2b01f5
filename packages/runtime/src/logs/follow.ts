/** Follows a file that grows, is emptied or replaced, until the process is ended. */
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { readUpTo } from '../files/read.ts'

/** How often it is looked at, real milliseconds: a person waits. */
const beat = 250

/** Where a file stands now: what is added later comes after it. */
export const endOfFile = (file: string): { at: number; inode: number | undefined } => {
  const stat = statSync(file, { throwIfNoEntry: false })
  return { at: stat?.size ?? 0, inode: stat?.ino }
}

/** From a place that was taken before what is shown was read, so that nothing is missed between. Gives whole lines. Never resolves. */
export async function follow(
  file: string,
  from: ReturnType<typeof endOfFile>,
  added: (text: string) => void,
): Promise<never> {
  let { at, inode } = from
  let decoder = new StringDecoder('utf8')
  let rest = ''
  for (;;) {
    const bytes = read()
    if (bytes) {
      const lines = (rest + decoder.write(bytes)).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) added(`${lines.join('\n')}\n`)
    }
    await new Promise((resolve) => setTimeout(resolve, beat))
  }

  function read(): Buffer | undefined {
    let fd: number
    try {
      fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    } catch {
      return undefined
    }
    try {
      const { size, ino, isFile } = statOf(fd)
      if (!isFile) return undefined
      if (ino !== inode || size < at) {
        at = 0
        decoder = new StringDecoder('utf8')
      }
      inode = ino
      if (size === at) return undefined
      const bytes = readUpTo(fd, Math.min(size - at, 1024 * 1024), at)
      at += bytes.length
      return bytes
    } finally {
      closeSync(fd)
    }
  }
}

function statOf(fd: number): { size: number; ino: number; isFile: boolean } {
  const stat = fstatSync(fd)
  return { size: stat.size, ino: stat.ino, isFile: stat.isFile() }
}
